/** Endpoints in GraphQL. */
import { ENDPOINT_FIELDS } from "../../../core/resources/endpoints/endpoint-fields.ts";
import type { Endpoint } from "../../../core/resources/endpoints/endpoint.ts";
import {
  createEndpoint,
  deleteEndpoint,
  listEndpoints,
} from "../../../engine/resources/endpoints/manage-endpoints.ts";
import { updateEndpoint } from "../../../engine/resources/endpoints/update-endpoint.ts";
import { type FieldNames, inNames } from "../../operation/requests/field-names.ts";
import type { HttpEngine } from "../../operation/service.ts";
import { namesOf, shownFields } from "../graphql/fields.ts";
import type { GraphqlCaller } from "../graphql/graphql-caller.ts";
import { endpointInputOf, endpointReplacement, inlineOf } from "./graphql-input.ts";
import { type Input, pairsOf, textOf } from "../graphql/input.ts";
import { poolsOf, writeGpuIds } from "../../../core/resources/endpoints/gpu-pools.ts";
import { volumesOf } from "../../../core/resources/network-volumes/network-volume.ts";
import { instanceIdsOf } from "./v1.ts";
import { USER_ID } from "../account/user-id.ts";
import { workerBody } from "../pods/v1-worker-body.ts";

const NAMES: FieldNames = {
  ...namesOf(ENDPOINT_FIELDS),
  gpuTypeIds: "gpuIds",
  cpuFlavorIds: "instanceIds",
  vcpuCount: "instanceIds",
  dockerEntrypoint: "dockerArgs",
  dockerStartCmd: "dockerArgs",
};

interface Change {
  readonly name: string;
  readonly id: string | undefined;
}

interface TemplateChoice {
  readonly input?: { readonly endpointId: string; readonly templateId: string } | null;
}

export const ENDPOINT_RESOLVERS = {
  /** Creates an endpoint, or replaces the one with this id; absent fields get their defaults (live). */
  saveEndpoint: ({ input }: { readonly input: Input }, caller: GraphqlCaller) => {
    const id = textOf(input["id"]);
    return changed(caller, { name: "saveEndpoint", id }, async (engine) =>
      id === undefined
        ? createEndpoint(engine, endpointInputOf(input))
        : replace(engine, id, input),
    );
  },
  /** Gives an endpoint another template and replaces its workers (live). */
  updateEndpointTemplate: ({ input }: TemplateChoice, caller: GraphqlCaller) => {
    const { endpointId: id, templateId } = input ?? {};
    return changed(caller, { name: "updateEndpointTemplate", id }, (engine) =>
      updateEndpoint(engine, id ?? "", { templateId }),
    );
  },
  /** Deletes an endpoint and its jobs; its workers leave (live). */
  deleteEndpoint: async ({ id }: { readonly id: string }, caller: GraphqlCaller) => {
    const change = { name: "deleteEndpoint", subject: id, endpointId: id };
    await caller.changes(change, (engine) => deleteEndpoint(engine, id));
    return null;
  },
};

/** Oldest first. */
export function endpointsOf(caller: GraphqlCaller) {
  const engine = caller.reads();
  return listEndpoints(engine).map((endpoint) => shownEndpoint(engine, endpoint, caller));
}

export function endpointWith(caller: GraphqlCaller, id: string) {
  const engine = caller.reads(id);
  const endpoint = engine.directory.findEndpoint(id);
  return endpoint ? shownEndpoint(engine, endpoint, caller) : null;
}

async function changed(
  caller: GraphqlCaller,
  { name, id }: Change,
  work: (engine: HttpEngine) => Promise<Endpoint>,
) {
  const made = await caller.changes({ name, subject: id, endpointId: id }, async (engine) => {
    const endpoint = await inNames(NAMES, () => work(engine));
    return { id: endpoint.id, shown: shownEndpoint(engine, endpoint, caller) };
  });
  return made.shown;
}

async function replace(engine: HttpEngine, id: string, input: Input): Promise<Endpoint> {
  const present = engine.directory.endpoint(id);
  return updateEndpoint(engine, id, endpointReplacement(input, present), inlineOf(input));
}

/** An endpoint in GraphQL answers: the record, with fields from its template, volumes and workers (live). */
function shownEndpoint(engine: HttpEngine, endpoint: Endpoint, caller: GraphqlCaller): object {
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
