/** Query parameters of the catalog in the second version of REST, and which of them exclude each other (live). */
import { z } from "zod";
import { REGIONS } from "../../../core/catalog/data-centers.ts";
import type { QueryParameters } from "../../../core/input/query-parameters.ts";
import { CLOUD_TYPES } from "../../../core/pods/pod.ts";
import { VOLUME_TYPES } from "../../../core/resources/network-volumes/network-volume.ts";
import { invalidRequest } from "../../../core/service-error.ts";
import {
  flagParameterV2,
  integerParameterV2,
  listParameterV2,
  readParameters,
} from "../rest-v2/read-closed.ts";

const MAX_COUNT = 1_000;

const include = listParameterV2(z.enum(["AVAILABILITY"]), "`AVAILABILITY` adds the availability.");

export const gpuParameters = {
  include,
  product: listParameterV2(
    z.enum(["POD", "CLUSTER", "SERVERLESS"]),
    "The purpose; required with `include`.",
  ),
  count: integerParameterV2(1, MAX_COUNT)
    .optional()
    .meta({ description: "Number of GPUs on one machine; default 1." }),
  cloud: z.enum(CLOUD_TYPES).optional().meta({ description: "Both values mean this machine." }),
  countryCodes: listParameterV2(
    z.string().regex(/^[A-Z]{2}$/u),
    "Only data centres of these countries.",
  ),
  cudaVersions: listParameterV2(
    z.string().regex(/^\d+\.\d+$/u),
    "Only machines with one of these versions of CUDA.",
  ),
  minCudaVersion: z
    .string()
    .regex(/^\d+(\.\d+)?$/u)
    .optional()
    .meta({ description: "Only machines with this version of CUDA or a newer one." }),
};

export const cpuParameters = {
  include,
  product: listParameterV2(z.enum(["POD", "SERVERLESS"]), "The purpose; required with `include`."),
  vcpuCount: integerParameterV2(2, MAX_COUNT)
    .optional()
    .meta({ description: "Number of virtual processors, a power of two." }),
};

export const dataCenterParameters = {
  include: listParameterV2(
    z.enum(["GPU_AVAILABILITY", "CPU_AVAILABILITY"]),
    "Adds the availability in each data centre.",
  ),
};

export const COMPLIANCE = [
  "GDPR",
  "ISO_IEC_27001",
  "ISO_14001",
  "PCI_DSS",
  "HITRUST",
  "SOC_1_TYPE_2",
  "SOC_2_TYPE_2",
  "SOC_3_TYPE_2",
  "ITAR",
  "FISMA_HIGH",
  "HIPAA",
  "RENEWABLE",
] as const;

export const dataCentersParameters = {
  ...dataCenterParameters,
  regions: listParameterV2(z.enum(REGIONS), "Any of these."),
  networkVolumeTypes: listParameterV2(z.enum(VOLUME_TYPES), "All of these."),
  compliance: listParameterV2(z.enum(COMPLIANCE), "All of these."),
  globalNetwork: flagParameterV2().optional(),
};

/** The wanted availability; undefined if the query does not ask for it. */
export interface GpuQuery {
  readonly products: readonly string[];
  readonly count: number;
  readonly countryCodes: readonly string[] | undefined;
  readonly allowedCudaVersions: readonly string[] | undefined;
  readonly minCudaVersion: string | undefined;
}

/** @throws ServiceError unprocessable; invalid_request for parameters that exclude each other */
export function readGpuQuery(query: QueryParameters): GpuQuery | undefined {
  const parameters = readParameters(gpuParameters, query);
  const products = productsOf(parameters);
  if (products === undefined) return undefined;
  const { count = 1, countryCodes, cudaVersions, minCudaVersion } = parameters;
  if (cudaVersions !== undefined && minCudaVersion !== undefined)
    throw invalidRequest(["cudaVersions and minCudaVersion exclude each other"]);
  return {
    products,
    count,
    countryCodes,
    allowedCudaVersions: cudaVersions,
    // A bare major version allows all its releases.
    minCudaVersion: minCudaVersion?.replace(/^\d+$/u, "$&.0"),
  };
}

export interface CpuQuery {
  readonly products: readonly string[];
  readonly vcpuCount: number | undefined;
}

/** @throws ServiceError unprocessable; invalid_request for parameters that exclude each other */
export function readCpuQuery(query: QueryParameters): CpuQuery | undefined {
  const parameters = readParameters(cpuParameters, query);
  const { vcpuCount } = parameters;
  if (vcpuCount !== undefined && !Number.isInteger(Math.log2(vcpuCount)))
    throw invalidRequest([`vcpuCount must be a power of two; got ${vcpuCount}`]);
  const products = productsOf(parameters);
  return products && { products, vcpuCount };
}

interface ProductParameters {
  readonly include?: readonly string[] | undefined;
  readonly product?: readonly string[] | undefined;
  readonly [other: string]: unknown;
}

/**
 * Undefined if the query does not ask for availability.
 * @throws ServiceError invalid_request
 */
function productsOf({ include: included = [], product = [], ...others }: ProductParameters) {
  if (included.length > 0) {
    if (product.length > 0) return product;
    throw invalidRequest(["include=AVAILABILITY requires product: the availability depends on it"]);
  }
  const given = Object.entries({ ...others, product: product[0] }).flatMap(([name, value]) =>
    value === undefined ? [] : name,
  );
  if (given.length === 0) return undefined;
  throw invalidRequest([`${given.join(", ")}: valid only with include=AVAILABILITY`]);
}
