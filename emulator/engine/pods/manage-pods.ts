/** Creates, lists, reads, changes, starts, stops and deletes pods as records; `pod-keeper.ts` runs them. */
import { actOnPod, changePod, makePod, type PodAction } from "../../core/pods/pod-life.ts";
import type { PodChanges, PodInput } from "../../core/pods/pod-input.ts";
import type { Pod } from "../../core/pods/pod.ts";
import { invalidRequest, ServiceError } from "../../core/service-error.ts";
import type { StoreTransaction, StoreView } from "../../store/store.ts";
import type { Uses } from "../context.ts";
import { checkVolumes } from "../resources/endpoint-volumes.ts";
import { warnOfUnknownGpus } from "../workers/gpus/warn-of-unknown-gpus.ts";
import { checkRegistryAuth } from "../resources/manage-templates.ts";

const ID_LENGTH = 14;

/** @throws ServiceError invalid_request where it names what does not exist; storage_full */
export async function createPod(
  engine: Uses<"clock" | "log" | "random" | "steps">,
  input: PodInput,
): Promise<Pod> {
  const id = engine.random.shortId(ID_LENGTH);
  warnOfUnknownGpus(engine, input.gpuTypeIds, { podId: id });
  return engine.steps.commit(async (tx, effects) => {
    const template = await templateOf(tx, input.templateId ?? "");
    const pod = makePod(id, input, template, nowOf(engine));
    await checkRegistryAuth(tx, pod.containerRegistryAuthId);
    await checkVolumes(tx, { networkVolumeId: pod.networkVolumeId });
    await tx.putRecord("pod", id, pod);
    effects.changedPods.add(id);
    return pod;
  });
}

/** Oldest first. */
export async function listPods(engine: Uses<"steps">): Promise<readonly Pod[]> {
  const pods = await engine.steps.read((view) => view.records("pod"));
  return pods.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
}

/** @throws ServiceError pod_not_found */
export async function readPod(engine: Uses<"steps">, id: string): Promise<Pod> {
  return engine.steps.read((view) => existing(view, id));
}

/** @throws ServiceError pod_not_found, pod_locked, invalid_request, storage_full */
export async function updatePod(
  engine: Uses<"clock" | "steps">,
  id: string,
  changes: PodChanges,
): Promise<Pod> {
  return replace(engine, id, async (tx, pod) => {
    const changed = changePod(pod, changes, nowOf(engine));
    if (changed.containerRegistryAuthId !== pod.containerRegistryAuthId) {
      await checkRegistryAuth(tx, changed.containerRegistryAuthId);
    }
    return changed;
  });
}

/** @throws ServiceError pod_not_found, pod_locked, storage_full */
export async function actOn(
  engine: Uses<"clock" | "steps">,
  id: string,
  action: PodAction,
): Promise<Pod> {
  return replace(engine, id, async (_, pod) => actOnPod(pod, action, nowOf(engine)));
}

/** @throws ServiceError pod_not_found, storage_full */
export async function deletePod(engine: Uses<"steps">, id: string): Promise<void> {
  await engine.steps.commit(async (tx, effects) => {
    await existing(tx, id);
    await tx.deleteRecord("pod", id);
    effects.changedPods.add(id);
  });
}

async function replace(
  engine: Uses<"steps">,
  id: string,
  change: (tx: StoreTransaction, pod: Pod) => Promise<Pod>,
): Promise<Pod> {
  return engine.steps.commit(async (tx, effects) => {
    const pod = await existing(tx, id);
    const changed = await change(tx, pod);
    if (changed !== pod) {
      await tx.putRecord("pod", id, changed);
      effects.changedPods.add(id);
    }
    return changed;
  });
}

async function existing(view: StoreView, id: string): Promise<Pod> {
  const pod = await view.record("pod", id);
  if (!pod) throw new ServiceError("pod_not_found", `there is no pod "${id}"`);
  return pod;
}

async function templateOf(tx: StoreView, id: string) {
  if (id === "") return undefined;
  const template = await tx.record("template", id);
  if (!template) throw invalidRequest([`templateId names no template: ${JSON.stringify(id)}`]);
  return template;
}

function nowOf({ clock }: Uses<"clock">): string {
  return new Date(clock.now()).toISOString();
}
