/** Random pods that both versions of REST can express, and how tests create and read them. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { TestHttp } from "../../http-harness.ts";
import {
  cloud,
  containerV1,
  containerV2,
  type Given,
  name,
  path,
  some,
} from "../rest-v2/any-thing.ts";
import { at, type Thing, type Way, without } from "../rest-v2/both-versions.ts";

const POD_FLAVORS = ["cpu3c", "cpu5m"] as const;
const GPUS = ["NVIDIA L4", "NVIDIA GeForce RTX 4090"] as const;
const sizeGb = fc.integer({ min: 10, max: 99 });
const vcpus = fc.constantFrom(2, 4, 16);
const dataCenters = fc.constantFrom(["EU-RO-1"], ["US-TX-3"]);

/** REST v2 shows a pod without GPUs with its own volume, but cannot create it. */
export const anyPod = {
  v1: (given: Given) =>
    fc
      .tuple(
        some(
          {
            ...containerV1(given),
            name,
            cloudType: cloud,
            dataCenterIds: dataCenters,
            interruptible: fc.boolean(),
            locked: fc.boolean(),
            volumeMountPath: path,
            networkVolumeId: fc.constantFrom(...given.volumeIds),
            vcpuCount: vcpus,
          },
          "imageName",
        ),
        fc.oneof(
          fc.record({
            gpuTypeIds: fc.constantFrom(...GPUS).map((id) => [id]),
            gpuCount: fc.integer({ min: 1, max: 4 }),
            volumeInGb: fc.oneof(fc.constantFrom(0, null), sizeGb),
          }),
          fc.record({
            computeType: fc.constant("CPU"),
            cpuFlavorIds: fc.constantFrom(...POD_FLAVORS).map((id) => [id]),
            volumeInGb: fc.constantFrom(0, null),
          }),
        ),
      )
      .map(([body, compute]) => ({ ...body, ...compute })),
  v2: (given: Given) => {
    const network = fc
      .constantFrom(...given.volumeIds)
      .chain((volumeId) => fc.record({ network: path.map((to) => [{ volumeId, path: to }]) }));
    const persistent = fc.record({ persistent: fc.record({ size: sizeGb, path }) });
    return fc
      .tuple(
        some(
          {
            ...containerV2(given),
            name,
            cloud,
            dataCenterIds: dataCenters,
            globalNetworking: fc.boolean(),
            locked: fc.boolean(),
          },
          "name",
          "image",
        ),
        fc.oneof(
          fc.record({
            gpu: fc.record({ id: fc.constantFrom(...GPUS), count: fc.integer({ min: 1, max: 4 }) }),
            mounts: fc.oneof(network, persistent, fc.constant({})),
          }),
          fc.record({
            cpu: fc.record({ id: fc.constantFrom(...POD_FLAVORS), vcpuCount: vcpus }),
            mounts: fc.oneof(network, fc.constant({})),
          }),
        ),
      )
      .map(([body, compute]) => ({ ...body, ...compute }));
  },
};

export const podV1: Way = {
  ...at("/v1/pods"),
  read: (service, id) =>
    at("/v1/pods").read(service, `${id}?includeMachine=true&includeNetworkVolume=true`),
  inputOf: ({ image: imageName, gpu, cpuFlavorId, machine, networkVolume, ...shown }) => {
    const { dataCenterId, secureCloud } = machine as Record<string, unknown>;
    const { id, count } = (gpu ?? {}) as Record<string, unknown>;
    return {
      ...without(...NOT_SENT)(shown),
      imageName,
      cloudType: secureCloud === true ? "SECURE" : "COMMUNITY",
      ...(dataCenterId !== "LOCAL" && { dataCenterIds: [dataCenterId] }),
      ...(networkVolume !== undefined && { networkVolumeId: (networkVolume as Thing)["id"] }),
      ...(gpu === undefined
        ? { computeType: "CPU", cpuFlavorIds: [cpuFlavorId] }
        : { gpuTypeIds: [id], gpuCount: count }),
    };
  },
  compared: ({ volumeInGb, ...shown }) => ({
    ...without("id", "lastStartedAt", "lastStatusChange")(shown),
    volumeInGb: volumeInGb ?? 0,
  }),
};

/** Facts about a pod that its client does not set. */
const NOT_SENT = [
  ...["id", "desiredStatus", "consumerUserId", "machineId", "memoryInGb", "volumeEncrypted"],
  ...["publicIp", "portMappings", "costPerHr", "adjustedCostPerHr"],
  ...["lastStartedAt", "lastStatusChange"],
];

export const podV2: Way = {
  ...at("/live/v2/pods"),
  /** A locked pod is locked after its creation. */
  async create(service: TestHttp, { locked, ...body }: { readonly locked?: boolean }) {
    const id = await at("/live/v2/pods").create(service, body);
    const answer = await service.call("PATCH", `/live/v2/pods/${id}`, { body: { locked } });
    assert.equal(answer.status, 200);
    return id;
  },
  inputOf: ({ dataCenterId, globalNetworking, gpu, cpu, ...shown }) => {
    const { id, count, vcpuCount } = (gpu ?? cpu) as Record<string, unknown>;
    return {
      ...without(...NOT_SENT_V2)(shown),
      globalNetworking: (globalNetworking as Thing)["enabled"],
      ...(dataCenterId !== null && { dataCenterIds: [dataCenterId] }),
      ...(gpu === undefined ? { cpu: { id, vcpuCount } } : { gpu: { id, count } }),
    };
  },
  compared: without("id", "createdAt", "startedAt"),
};

const NOT_SENT_V2 = [
  ...["id", "status", "actions", "template", "cudaVersion", "cost", "ssh", "runtime"],
  ...["createdAt", "startedAt"],
];
