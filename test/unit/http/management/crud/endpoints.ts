/** Endpoints in all dialects. */
import { ENDPOINT_FIELDS } from "../../../../../emulator/core/resources/endpoints/endpoint-fields.ts";
import {
  poolsOf,
  readGpuIds,
  typesOf,
  writeGpuIds,
} from "../../../../../emulator/core/resources/endpoints/gpu-pools.ts";
import type { TestHttp } from "../../http-harness.ts";
import {
  type Driver,
  type Form,
  graphqlDriver,
  graphqlForm,
  restDriver,
  type Thing,
  v2Form,
} from "./drivers.ts";
import { beyondBounds, type Noun, type RefusedRow, unknownKey } from "./nouns.ts";

const GROUPED: Form = {
  write({ gpuTypeIds, scalerType, scalerValue, networkVolumeIds, ...fields }) {
    const value = scalerType === "REQUEST_COUNT" ? "requestCount" : "queueDelay";
    return {
      ...fields,
      ...(gpuTypeIds !== undefined && { gpu: poolsOf(gpuTypeIds as string[]) }),
      ...(scalerType !== undefined && { scaling: { type: scalerType, [value]: scalerValue } }),
      ...(networkVolumeIds !== undefined && { networkVolumes: networkVolumeIds }),
    };
  },
  read(shown) {
    const { pools, excludedTypes } = shown["gpu"] as Record<string, string[]>;
    const { type, queueDelay, requestCount } = shown["scaling"] as Thing;
    return {
      gpuTypeIds: typesOf(pools ?? [], excludedTypes),
      ...{ scalerType: type, scalerValue: queueDelay ?? requestCount },
      networkVolumeIds: shown["networkVolumes"],
    };
  },
};

const LISTED: Form = {
  write: ({ gpuTypeIds, networkVolumeIds, ...fields }) => ({
    ...fields,
    ...(gpuTypeIds !== undefined && { gpuIds: writeGpuIds(poolsOf(gpuTypeIds as string[])) }),
    networkVolumeIds: (networkVolumeIds as string[] | undefined)?.map((networkVolumeId) => ({
      networkVolumeId,
    })),
  }),
  read({ gpuIds, networkVolumeIds }) {
    const { pools, excludedTypes } = readGpuIds(String(gpuIds));
    const ids = (networkVolumeIds as Thing[]).map((each) => each["networkVolumeId"]);
    return { gpuTypeIds: typesOf(pools, excludedTypes), networkVolumeIds: ids };
  },
};

const SELECTED = `id name templateId type gpuIds gpuCount networkVolumeIds { networkVolumeId } locations idleTimeout scalerType scalerValue
  workersMin workersMax allowedCudaVersions minCudaVersion executionTimeoutMs flashBootType`;

/** GraphQL replaces an endpoint that is saved under its id: a change must contain all that was read. */
function replacing(driver: Driver): Driver {
  return {
    ...driver,
    async change(id, fields) {
      const before = id === "none" ? {} : await driver.read(id);
      return driver.change(id, { ...before, ...fields });
    },
  };
}

const TOO_MANY = "must not exceed workersMax, which is ";
const TOO_MANY_V2 = "must not exceed workers.max, which is ";
const WRONG_GPU =
  'gpuTypeIds.0 must be a GPU type like NVIDIA GeForce RTX 4090 or NVIDIA L4; got "RTX 4090"';
const NO_VOLUME = 'names no network volume of this service: "none"';
const UNKNOWN_VOLUME: RefusedRow = [
  { networkVolumeIds: ["none"] },
  `networkVolumeIds ${NO_VOLUME}`,
  `400 networkVolumes ${NO_VOLUME}`,
];

export const ENDPOINTS: Noun = {
  noun: "an endpoint",
  drivers: (service: TestHttp) => ({
    v1: restDriver(service, { path: "/v1/endpoints" }),
    v2: restDriver(service, {
      ...{ path: "/live/v2/serverless", listed: "endpoints" },
      form: v2Form(ENDPOINT_FIELDS, GROUPED),
    }),
    graphql: replacing(
      graphqlDriver(service, {
        save: `mutation ($input: EndpointInput!) { saveEndpoint(input: $input) { ${SELECTED} } }`,
        read: `query ($id: String!) { myself { endpoint(id: $id) { ${SELECTED} } } }`,
        list: "{ myself { endpoints { id name } } }",
        remove: "mutation ($id: String!) { deleteEndpoint(id: $id) }",
        form: graphqlForm(ENDPOINT_FIELDS, LISTED),
      }),
    ),
  }),
  least: {
    ...{ templateId: "echo", type: "QUEUE", gpuTypeIds: typesOf(["ADA_24"]) },
    ...{ scalerType: "QUEUE_DELAY", scalerValue: 4 },
  },
  full: ({ volumeIds: networkVolumeIds }) => ({
    ...{ type: "QUEUE", gpuTypeIds: typesOf(["ADA_24", "AMPERE_48"], ["NVIDIA A40"]), gpuCount: 2 },
    ...{ allowedCudaVersions: ["12.8", "12.9"], dataCenterIds: ["EU-RO-1", "US-KS-2"] },
    ...{ networkVolumeIds, scalerType: "QUEUE_DELAY", scalerValue: 9, idleTimeout: 7 },
    ...{ executionTimeoutMs: 60_000, workersMin: 1, workersMax: 5, flashboot: true },
  }),
  changed: {
    ...{ gpuTypeIds: typesOf(["AMPERE_16"]), gpuCount: 1, allowedCudaVersions: ["12.4"] },
    ...{ dataCenterIds: ["EU-RO-1"], scalerType: "QUEUE_DELAY", scalerValue: 2, idleTimeout: 30 },
    ...{ executionTimeoutMs: 5_000, workersMin: 0, workersMax: 7, flashboot: false },
  },
  emptied: { allowedCudaVersions: [], dataCenterIds: [], networkVolumeIds: [] },
  unknown: {
    v1: '404 endpoint_not_found there is no endpoint "none"',
    v2: "404 endpoint not found",
    graphql: "endpoint not found",
  },
  refused: [
    ...beyondBounds(ENDPOINT_FIELDS),
    [
      { idleTimeout: 3_601 },
      "idleTimeout must be an integer from 1 to 3600",
      "422 $.workers.idleTim",
    ],
    [
      { executionTimeoutMs: 4_999 },
      "executionTimeoutMs must be an integer from 5000 to 604800000",
      "400 timeout must be 0, for no limit, or 5000 (ms)",
    ],
    [{ requestsPerWorker: 0 }, "requestsPerWorker must be an integer of 1 or more; got 0"],
    [{ retries: { handlerError: 101 } }, "retries.handlerError must be an integer from 0"],
    unknownKey("gpuTypeId", "gpuTypeIds"),
    [{ name: "" }, "name must be", "422 $.name: minLength: got 0, want 1", null],
    [{ workersMin: 4 }, `workersMin ${TOO_MANY}3; got 4`, `400 workers.min ${TOO_MANY_V2}3; got 4`],
    [{ workersMax: 1.5 }, "workersMax must be", "422 $.workers.max: got number", "Int cannot"],
    [{ scalerValue: 0 }, "scalerValue must be", "422 $.scaling.queueDelay: minimum"],
    [{ scalerType: "NO" }, "scalerType must be one of", "422 $.scaling.type: value must be one"],
    UNKNOWN_VOLUME,
    [{ templateId: "none" }, 'templateId names no template: "none"', "404 template not found"],
    [{ templateId: "" }, "templateId must be", "422 $.templateId: min", "templateId is required"],
    unknownKey("nmae"),
  ],
  misnamed: ({ podTemplateId: templateId }) => [
    { templateId },
    'templateId names the Pod template "pod"; an endpoint needs one that was created with isServerless true',
    "422 Serverless endpoints cannot use pod templates.",
    "Serverless endpoints cannot use pod templates. Please use a serverless template.",
  ],
  usable: { workersMin: 2 },
  refusedChanges: [
    [{ workersMax: 1 }, `workersMin ${TOO_MANY}1; got 2`, `400 workers.min ${TOO_MANY_V2}1; got 2`],
    [{ computeType: "GPU" }, "computeType is set at creation and cannot be changed"],
    [{ retries: { workerlost: 1 } }, 'the key "workerlost" of retries is unknown'],
    [{ env: {} }, 'the key "env" is unknown'],
    [{ networkVolumeIds: "vol1" }, 'networkVolumeIds must be an array; got "vol1"'],
    [{ gpuTypeIds: ["RTX 4090"] }, `${WRONG_GPU}; did you mean NVIDIA GeForce RTX 4090?`],
    [{ workersMin: 4 }, `workersMin ${TOO_MANY}3; got 4`, `400 workers.min ${TOO_MANY_V2}3; got 4`],
    UNKNOWN_VOLUME,
    [{ templateId: "none" }, 'templateId names no template: "none"', "404 template not found"],
    [{ type: "LOAD_BALANCING" }, "type is set at creation", "422 $: additional properties 'type'"],
  ],
};
