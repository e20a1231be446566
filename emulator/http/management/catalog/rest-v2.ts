/** Operations on the catalog in the second version of REST: rentable hardware, and how much of it is here. */
import { z } from "zod";
import { CPU_FLAVORS } from "../../../core/catalog/cpu-flavors.ts";
import { DATA_CENTERS, REGIONS } from "../../../core/catalog/data-centers.ts";
import { AVAILABILITIES, offeredGpus } from "../../../core/catalog/gpu-availability.ts";
import { ServiceError } from "../../../core/service-error.ts";
import { sameType } from "../../../core/workers/gpu-allocation.ts";
import { jsonAnswer } from "../../operation/answers/answer.ts";
import type { Call, Operation } from "../../operation/operation.ts";
import { answered, json } from "../../schemas/contract.ts";
import { centresIn, cpuBody, dataCenterBody, gpuBody, type Offer } from "./rest-v2-bodies.ts";
import {
  COMPLIANCE,
  cpuParameters,
  dataCenterParameters,
  dataCentersParameters,
  gpuParameters,
  readCpuQuery,
  readGpuQuery,
} from "./rest-v2-query.ts";
import { readParameters } from "../rest-v2/read-closed.ts";
import { VOLUME_TYPES } from "../../../core/resources/network-volumes/network-volume.ts";

/** Schemas of the catalog in the second version of REST (live). */
const availability = z.enum(AVAILABILITIES);
const dollars = z.number().min(0).meta({ description: "US dollars an hour." });

const here = z.array(
  answered("CatalogAvailability", { id: z.string(), name: z.string(), availability }),
);

const gpuTypeSchema = answered("GpuType", {
  id: z.string(),
  name: z.string(),
  pool: z.string().nullable(),
  manufacturer: z.enum(["NVIDIA", "AMD", "UNKNOWN"]),
  memory: z.int().min(0).meta({ description: "In GB; 0 where it is not known." }),
  secure: z.boolean(),
  community: z.boolean(),
  price: z.strictObject({ secure: dollars, community: dollars, serverless: dollars }),
  maxCount: z.strictObject({ secure: z.int().min(0), community: z.int().min(0) }),
  availability: availability.optional(),
  dataCenters: here.optional(),
  cudaVersions: z.array(z.strictObject({ version: z.string(), available: z.boolean() })).optional(),
});

const cpuTypeSchema = answered("CpuType", {
  id: z.string(),
  name: z.string(),
  group: z.string(),
  vcpu: z.strictObject({ min: z.int(), max: z.int() }),
  ramGbPerVcpu: z.number(),
  price: z.strictObject({ securePerVcpu: dollars, serverlessPerVcpu: dollars }),
  availability: availability.optional(),
  dataCenters: here.optional(),
});

const dataCenterSchema = answered("DataCenter", {
  id: z.string(),
  name: z.string(),
  region: z.enum(REGIONS),
  globalNetwork: z.boolean(),
  networkVolumeTypes: z.array(z.enum(VOLUME_TYPES)),
  compliance: z.array(z.enum(COMPLIANCE)),
  gpuAvailability: here.optional(),
  cpuAvailability: here.optional(),
});

const gpus = reader("/v2/catalog/gpus", "gpuTypeId", "gpus", gpuTypeSchema);
const cpus = reader("/v2/catalog/cpus", "cpuFlavorId", "cpus", cpuTypeSchema);
const dataCenters = reader(
  "/v2/catalog/datacenters",
  "dataCenterId",
  "dataCenters",
  dataCenterSchema,
);

export const CATALOG_V2_OPERATIONS = {
  /** `GET /catalog/gpus`: the GPU types, and which of them this machine has (live; the machine: ours). */
  listGpuTypesV2: gpus.listing(gpuParameters, (offer, { query }) => {
    const wanted = readGpuQuery(query);
    if (centresIn(wanted?.countryCodes).length === 0) return [];
    return offeredGpus(offer.inventory).map((gpu) => gpuBody(gpu, offer, wanted));
  }),
  /** `GET /catalog/gpus/{id}`: one GPU type (live). */
  readGpuTypeV2: gpus.reading(gpuParameters, (offer, { query }, id) => {
    const wanted = readGpuQuery(query);
    const gpu = offeredGpus(offer.inventory).find((each) => sameType(each.id, id));
    return gpu && gpuBody(gpu, offer, wanted);
  }),
  /** `GET /catalog/cpus`: the CPU flavours (live). */
  listCpuTypesV2: cpus.listing(cpuParameters, (offer, { query }) => {
    const wanted = readCpuQuery(query);
    return CPU_FLAVORS.map((flavor) => cpuBody(flavor, offer, wanted));
  }),
  /** `GET /catalog/cpus/{id}`: one CPU flavour (live). */
  readCpuTypeV2: cpus.reading(cpuParameters, (offer, { query }, id) => {
    const wanted = readCpuQuery(query);
    const flavor = CPU_FLAVORS.find((each) => each.id === id);
    return flavor && cpuBody(flavor, offer, wanted);
  }),
  /** `GET /catalog/datacenters`: the data centres; all of them are this machine (live; the machine: ours). */
  listDataCentersV2: dataCenters.listing(dataCentersParameters, (offer, { query }) => {
    const wanted = readParameters(dataCentersParameters, query);
    const { include = [], regions = [], compliance = [] } = wanted;
    // Every data centre has all types of volumes and a network to the others; none is certified.
    if (compliance.length > 0 || wanted.globalNetwork === false) return [];
    return DATA_CENTERS.filter(
      ({ region }) => regions.length === 0 || regions.includes(region),
    ).map((each) => dataCenterBody(each, offer, include));
  }),
  /** `GET /catalog/datacenters/{id}`: one data centre (live). */
  readDataCenterV2: dataCenters.reading(dataCenterParameters, (offer, { query }, id) => {
    const { include = [] } = readParameters(dataCenterParameters, query);
    const found = DATA_CENTERS.find((each) => each.id === id);
    return found && dataCenterBody(found, offer, include);
  }),
};

type IdPath = Readonly<Record<string, string>>;

function reader(path: string, id: string, list: string, schema: z.ZodType) {
  const common = { methods: ["GET"], owner: "any" } as const;
  const errors = ["unprocessable", "invalid_request"] as const;
  return {
    listing: (
      parameters: z.core.$ZodLooseShape,
      things: (offer: Offer, call: Call<unknown>) => readonly object[],
    ): Operation => ({
      ...common,
      path,
      contract: {
        tag: "catalog",
        query: z.object(parameters),
        answers: { 200: json("All of them.", z.strictObject({ [list]: z.array(schema) })) },
        errors,
      },
      perform: async (call) => jsonAnswer({ [list]: things(await offerOf(call), call) }),
    }),
    reading: (
      parameters: z.core.$ZodLooseShape,
      find: (offer: Offer, call: Call<unknown>, id: string) => object | undefined,
    ): Operation<IdPath> => ({
      ...common,
      path: `${path}/:${id}`,
      contract: {
        tag: "catalog",
        query: z.object(parameters),
        answers: { 200: json("It.", schema) },
        errors: [...errors, "not_found"],
      },
      async perform(call) {
        const wanted = call.path[id] ?? "";
        const found = find(await offerOf(call), call, wanted);
        if (found) return jsonAnswer(found);
        throw new ServiceError("not_found", `there is no ${JSON.stringify(wanted)} in ${path}`);
      },
    }),
  };
}

async function offerOf({ service }: Call<unknown>): Promise<Offer> {
  const { findGpus, prices } = service.engine;
  return { inventory: await findGpus(), prices };
}
