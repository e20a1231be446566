/** Random templates, endpoints and network volumes that both versions of REST can express. */
import fc from "fast-check";
import { GPU_POOLS, GPU_TYPES } from "../../../../../emulator/core/catalog/gpu-types.ts";
import { ENDPOINT_CPU_FLAVORS } from "../../../../../emulator/core/catalog/cpu-flavors.ts";
import type { Version } from "./both-versions.ts";

/** Existing resources for generated bodies. */
export interface Given {
  readonly volumeIds: readonly string[];
  readonly registryId: string;
}

/** A record with optional members, except for the required ones. */
export function some<T extends object>(
  model: { [K in keyof T]: fc.Arbitrary<T[K]> },
  ...required: (keyof T)[]
) {
  return fc.record(model, { requiredKeys: required });
}

export const name = fc.stringMatching(/^[a-z][a-z ]{0,9}$/u);
const image = fc.constantFrom("team/worker:1", "python:3.12-slim");
const words = fc.array(fc.string({ maxLength: 12 }), { maxLength: 3 });
const env = fc.dictionary(fc.stringMatching(/^[A-Z_]{1,6}$/u), fc.string(), { maxKeys: 3 });
const ports = fc.uniqueArray(fc.constantFrom("80/http", "22/tcp", "8888/http"));
const cuda = fc.constantFrom("11.8", "12.4", "12.8");
export const path = fc.stringMatching(/^\/[a-z]{1,8}$/u);
export const cloud = fc.constantFrom("SECURE", "COMMUNITY");
const dataCenters = fc.uniqueArray(fc.constantFrom("EU-RO-1", "US-TX-3", "CA-MTL-1"));
const vcpus = fc.constantFrom(2, 4, 16);
const flavors = fc.uniqueArray(fc.constantFrom(...ENDPOINT_CPU_FLAVORS), { minLength: 1 });

/** Excludes disks of 0 GB and volumes under 10 GB, which REST v2 shows but does not accept. */
export const containerV1 = ({ registryId }: Given) => ({
  imageName: image,
  containerDiskInGb: fc.integer({ min: 1, max: 99 }),
  containerRegistryAuthId: fc.constant(registryId),
  dockerEntrypoint: words,
  dockerStartCmd: words,
  env,
  ports,
});

export const containerV2 = ({ registryId }: Given) => ({
  image,
  disk: fc.integer({ min: 1, max: 99 }),
  registry: fc.constantFrom(registryId, null),
  args: fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.record({ cmd: words, entrypoint: words }).map((program) => JSON.stringify(program, null, 1)),
  ),
  env,
  ports,
});

type ByVersion = Readonly<Record<Version, (given: Given) => fc.Arbitrary<object>>>;

const categories = fc.constantFrom("NVIDIA", "AMD", "CPU");

export const anyTemplate: ByVersion = {
  v1: (given) =>
    some(
      {
        ...containerV1(given),
        name,
        category: categories,
        isPublic: fc.boolean(),
        readme: fc.string(),
        volumeInGb: fc.oneof(fc.constant(0), fc.integer({ min: 10, max: 99 })),
        volumeMountPath: path,
      },
      "name",
      "imageName",
    ),
  v2: (given) =>
    some(
      {
        ...containerV2(given),
        name,
        category: categories,
        public: fc.boolean(),
        mounts: some({ persistent: fc.record({ size: fc.integer({ min: 10, max: 99 }), path }) }),
        startSsh: fc.boolean(),
        startJupyter: fc.boolean(),
        allowedCudaVersions: fc.uniqueArray(cuda),
      },
      "name",
      "image",
    ),
};

/** Sizes that both versions accept. */
const sizeGb = fc.integer({ min: 10, max: 4_000 });

export const anyVolume: ByVersion = {
  v1: () => fc.record({ name, size: sizeGb, dataCenterId: fc.constantFrom("EU-RO-1", "HERE") }),
  v2: () =>
    some(
      {
        name,
        size: sizeGb,
        dataCenter: fc.constantFrom("EU-RO-1", "HERE"),
        type: fc.constantFrom("STANDARD", "HIGH_PERFORMANCE"),
      },
      "name",
      "size",
      "dataCenter",
    ),
};

const gpuV2 = some(
  {
    pools: fc.uniqueArray(fc.constantFrom(...GPU_POOLS), { minLength: 1 }),
    count: fc.integer({ min: 1, max: 4 }),
    allowedCudaVersions: fc.uniqueArray(cuda),
  },
  "pools",
).chain((gpu) => {
  const types = GPU_TYPES.filter(({ pool }) => gpu.pools.some((each) => each === pool));
  const ids = types.map(({ id }) => id);
  const excludedTypes = fc.subarray(ids, { maxLength: ids.length - 1 });
  return excludedTypes.map((excluded) => ({ ...gpu, excludedTypes: excluded }));
});

export const anyEndpoint: ByVersion = {
  v1: (given) =>
    some(
      {
        container: some(containerV1(given), "imageName"),
        name,
        type: fc.constantFrom("QUEUE", "LOAD_BALANCING"),
        computeType: fc.constantFrom("GPU", "CPU"),
        gpuTypeIds: fc.uniqueArray(fc.constantFrom(...GPU_TYPES.map(({ id }) => id)), {
          maxLength: 4,
        }),
        gpuCount: fc.integer({ min: 1, max: 4 }),
        cpuFlavorIds: flavors,
        vcpuCount: vcpus,
        allowedCudaVersions: fc.uniqueArray(cuda),
        dataCenterIds: dataCenters,
        networkVolumeId: fc.constantFrom(...given.volumeIds),
        networkVolumeIds: fc.subarray([...given.volumeIds]),
        scalerType: fc.constantFrom("QUEUE_DELAY", "REQUEST_COUNT"),
        scalerValue: fc.integer({ min: 1, max: 9 }),
        idleTimeout: fc.integer({ min: 1, max: 99 }),
        executionTimeoutMs: fc.integer({ min: 5_000, max: 604_800_000 }),
        workersMin: fc.integer({ min: 0, max: 2 }),
        workersMax: fc.integer({ min: 3, max: 9 }),
        flashboot: fc.boolean(),
        retries: some({ workerLost: fc.nat({ max: 9 }), handlerError: fc.nat({ max: 9 }) }),
        requestsPerWorker: fc.integer({ min: 1, max: 99 }),
      },
      "container",
      "name",
    ).map((body) =>
      "type" in body && body.type === "LOAD_BALANCING"
        ? { ...body, scalerType: "REQUEST_COUNT" }
        : body,
    ),
  v2: (given) =>
    fc
      .tuple(
        some(
          {
            ...containerV2(given),
            name,
            dataCenterIds: dataCenters,
            networkVolumes: fc.subarray([...given.volumeIds]),
            timeout: fc.oneof(fc.constant(0), fc.integer({ min: 5_000, max: 604_800_000 })),
            flashboot: fc.constantFrom("OFF", "FLASHBOOT"),
          },
          "name",
          "image",
        ),
        fc.oneof(
          gpuV2.map((gpu) => ({ gpu })),
          fc.tuple(flavors, vcpus).map(([ids, vcpuCount]) => ({
            cpu: ids.map((id) => ({ id, vcpuCount })),
          })),
        ),
        fc.constantFrom("QUEUE", "LOAD_BALANCER"),
        fc.integer({ min: 1, max: 99 }),
        fc.oneof(
          fc
            .double({ min: 0.5, max: 9, noNaN: true })
            .map((queueDelay) => ({ type: "QUEUE_DELAY", queueDelay })),
          fc
            .integer({ min: 1, max: 9 })
            .map((requestCount) => ({ type: "REQUEST_COUNT", requestCount })),
        ),
      )
      .map(([body, compute, type, idleTimeout, wanted]) => {
        const scaling =
          type === "QUEUE" ? wanted : { type: "REQUEST_COUNT", requestCount: idleTimeout };
        const hasIdle = type === "LOAD_BALANCER" || scaling.type === "QUEUE_DELAY";
        const workers = { min: 1, max: 4, ...(hasIdle && { idleTimeout }) };
        return { ...body, ...compute, type, scaling, workers };
      }),
};
