/** An endpoint in GraphQL answers: the record, with fields from its template, volumes and workers (live). */
import { ENDPOINT_FIELDS } from "../../../core/resources/endpoints/endpoint-fields.ts";
import type { Endpoint } from "../../../core/resources/endpoints/endpoint.ts";
import { poolsOf, writeGpuIds } from "../../../core/resources/endpoints/gpu-pools.ts";
import { volumesOf } from "../../../core/resources/network-volumes/network-volume.ts";
import { instanceIdsOf } from "./v1.ts";
import { USER_ID } from "../account/user-id.ts";
import { workerBody } from "../pods/v1-worker-body.ts";
import type { HttpEngine } from "../../operation/service.ts";
import { shownFields } from "../graphql/fields.ts";
import type { GraphqlCaller } from "../graphql/graphql-caller.ts";
import { pairsOf } from "../graphql/input.ts";

export function shownEndpoint(
  engine: HttpEngine,
  endpoint: Endpoint,
  caller: GraphqlCaller,
): object {
  const { directory, fleet } = engine;
  const { id, templateId, computeType, scalerValue } = endpoint;
  const isCpu = computeType === "CPU";
  const volumes = volumesOf(endpoint).map((volumeId) => ({
    networkVolumeId: volumeId,
    dataCenterId: directory.findVolume(volumeId)?.dataCenterId ?? null,
  }));
  const [first] = volumes;
  return {
    ...endpoint,
    ...shownFields(ENDPOINT_FIELDS, endpoint),
    gpuIds: isCpu ? null : writeGpuIds(poolsOf(endpoint.gpuTypeIds)),
    instanceIds: isCpu ? instanceIdsOf(endpoint) : [],
    networkVolumeId: first?.networkVolumeId ?? null,
    networkVolumeIds: volumes,
    networkVolume: first ? (directory.findVolume(first.networkVolumeId) ?? null) : null,
    // Clients read a whole number.
    scalerValue: Math.ceil(scalerValue),
    // Workers in reserve do not exist here.
    workersStandby: 0,
    modelReferences: [],
    env: () => pairsOf(directory.findTemplate(templateId)?.env ?? {}),
    userId: USER_ID,
    aiKey: null,
    pods: async () => [
      ...fleet.workersOf(id).map((worker) => workerBody(worker, undefined)),
      ...(await caller.otherWorkers(id)),
    ],
  };
}
