/** Pods in GraphQL. */
import type { Pod } from "../../../core/pods/pod.ts";
import { sshKeys } from "../../../engine/access/account.ts";
import { actOn, createPod, deletePod, listPods } from "../../../engine/pods/manage-pods.ts";
import type { StepPort } from "../../../engine/steps/step-port.ts";
import { type FieldNames, inNames } from "../../operation/requests/field-names.ts";
import type { HttpEngine } from "../../operation/service.ts";
import type { GraphqlCaller } from "../graphql/graphql-caller.ts";
import { type Input, textOf } from "../graphql/input.ts";
import { podInputOf, templateIdOf } from "./graphql-input.ts";
import { shownPod } from "./graphql-shown.ts";

const NAMES: FieldNames = {
  gpuTypeIds: "gpuTypeId",
  cpuFlavorIds: "instanceId",
  vcpuCount: "instanceId",
  minRAMPerGPU: "minMemoryInGb",
  minVCPUPerGPU: "minVcpuCount",
  minDownloadMbps: "minDownload",
  minUploadMbps: "minUpload",
  dataCenterIds: "dataCenterId",
  countryCodes: "countryCode",
  dockerEntrypoint: "dockerArgs",
  dockerStartCmd: "dockerArgs",
};

/** Length of Jupyter's password. */
const PASSWORD_LENGTH = 20;

interface OfPod {
  readonly input: { readonly podId: string };
}

interface Creation {
  readonly input?: Input | null;
}

export const POD_RESOLVERS = {
  /** One pod; null if there is none (live). */
  pod: ({ input }: { readonly input?: Input | null }, caller: GraphqlCaller) => {
    const engine = caller.reads();
    const pod = findPod(engine, textOf(input?.["podId"]) ?? "");
    return pod ? shownPod(engine, pod) : null;
  },
  /** Creates and starts a pod with GPUs (live). */
  podFindAndDeployOnDemand: ({ input }: Creation, caller: GraphqlCaller) =>
    changed(caller, { name: "podFindAndDeployOnDemand" }, (engine) =>
      create(engine, "GPU", input ?? {}),
    ),
  /** Creates a pod without GPUs (live). */
  deployCpuPod: ({ input }: Creation, caller: GraphqlCaller) =>
    changed(caller, { name: "deployCpuPod" }, (engine) => create(engine, "CPU", input ?? {})),
  /** Stops a pod; its volume stays (live). */
  podStop: ({ input: { podId } }: OfPod, caller: GraphqlCaller) =>
    changed(caller, { name: "podStop", subject: podId }, (engine) => actOn(engine, podId, "stop")),
  /** Starts a stopped pod with the same number of GPUs; a running one goes on (live). */
  podResume: ({ input: { podId } }: OfPod, caller: GraphqlCaller) =>
    changed(caller, { name: "podResume", subject: podId }, (engine) =>
      actOn(engine, podId, "start"),
    ),
  /** Ends and deletes a pod (live). */
  podTerminate: async ({ input: { podId } }: OfPod, caller: GraphqlCaller) => {
    await caller.changes({ name: "podTerminate", subject: podId }, (engine) =>
      deletePod(engine, podId),
    );
    return null;
  },
};

export function podsOf(engine: HttpEngine) {
  return listPods(engine).map((pod) => shownPod(engine, pod));
}

async function changed(
  caller: GraphqlCaller,
  change: Parameters<GraphqlCaller["changes"]>[0],
  work: (engine: HttpEngine) => Promise<Pod>,
) {
  const made = await caller.changes(change, async (engine) => {
    const pod = await inNames(NAMES, () => work(engine));
    return { id: pod.id, shown: shownPod(engine, pod) };
  });
  return made.shown;
}

async function create(engine: HttpEngine, computeType: "CPU" | "GPU", input: Input): Promise<Pod> {
  const id = templateIdOf(input);
  const template = id === undefined ? undefined : engine.directory.findTemplate(id);
  const password = engine.random.shortId(PASSWORD_LENGTH);
  const secrets = { sshKeys: sshKeys(engine), password };
  return createPod(engine, podInputOf(input, computeType, { template, ...secrets }));
}

function findPod({ steps }: StepPort, id: string): Pod | undefined {
  return steps.records.find("pod", id);
}
