/** Creates, lists, reads, changes, starts, stops and deletes pods as records; `pod-keeper.ts` runs them. */
import { iso } from "../../core/time/iso.ts";
import { actOnPod, changePod, makePod, type PodAction } from "../../core/pods/pod-life.ts";
import {
  observedStatus,
  possibleTransitions,
  type Transition,
} from "../../core/pods/pod-status.ts";
import type { PodChanges, PodInput } from "../../core/pods/pod-input.ts";
import type { Pod } from "../../core/pods/pod.ts";
import { invalidRequest, ServiceError } from "../../core/service-error.ts";
import type { Step } from "../steps/step.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { TellPort } from "../observe/tell-port.ts";
import type { PodPort } from "./pod-run.ts";
import { checkVolumes } from "../resources/endpoints/endpoint-volumes.ts";
import { warnOfUnknownGpus } from "../workers/gpus/warn-of-unknown-gpus.ts";
import { checkRegistryAuth } from "../resources/templates/manage-templates.ts";

const ID_LENGTH = 14;

/** @throws ServiceError invalid_request for a name of something unknown; storage_full */
export async function createPod(
  engine: StepPort & TimePort & TellPort,
  input: PodInput,
): Promise<Pod> {
  const id = engine.random.shortId(ID_LENGTH);
  warnOfUnknownGpus(engine, input.gpuTypeIds, { podId: id });
  return engine.steps.commit((step) => {
    const template = templateOf(step, input.templateId ?? "");
    const pod = makePod(id, input, template, iso(engine.clock.now()));
    checkRegistryAuth(step, pod.containerRegistryAuthId);
    checkVolumes(step, { networkVolumeId: pod.networkVolumeId });
    step.putRecord("pod", id, pod);
    step.effects.add({ type: "pod-changed", podId: id });
    return pod;
  });
}

/** Oldest first. */
export function listPods(engine: StepPort): readonly Pod[] {
  const pods = engine.steps.records.inOrder("pod");
  return pods.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
}

/** @throws ServiceError pod_not_found */
export function readPod(engine: StepPort, id: string): Pod {
  return found(engine.steps.records.find("pod", id), id);
}

/** @throws ServiceError pod_not_found, pod_locked, invalid_request, storage_full */
export async function updatePod(
  engine: StepPort & TimePort,
  id: string,
  changes: PodChanges,
): Promise<Pod> {
  return replace(engine, id, (step, pod) => {
    const changed = changePod(pod, changes, iso(engine.clock.now()));
    if (changed.containerRegistryAuthId !== pod.containerRegistryAuthId) {
      checkRegistryAuth(step, changed.containerRegistryAuthId);
    }
    return changed;
  });
}

/** @throws ServiceError pod_not_found, pod_locked, storage_full */
export async function actOn(
  engine: StepPort & TimePort,
  id: string,
  action: PodAction,
): Promise<Pod> {
  return replace(engine, id, (_, pod) => actOnPod(pod, action, iso(engine.clock.now())));
}

/**
 * Changes a pod if its status allows the action.
 * @throws ServiceError pod_not_found, wrong_pod_status, pod_locked, storage_full
 */
export async function transition(
  engine: StepPort & TimePort & PodPort,
  id: string,
  how: Exclude<Transition, "terminate">,
): Promise<Pod> {
  return replace(engine, id, (_, pod) => {
    const status = observedStatus(pod, engine.podRuns.get(id)?.stage ?? "waiting");
    const possible = possibleTransitions(status);
    if (possible.includes(how)) return actOnPod(pod, how, iso(engine.clock.now()));
    const message = `a pod that is ${status} cannot be told to ${how}; possible: ${possible.join(", ")}`;
    throw new ServiceError("wrong_pod_status", message);
  });
}

/** @throws ServiceError pod_not_found, storage_full */
export async function deletePod(engine: StepPort, id: string): Promise<void> {
  await engine.steps.commit((step) => {
    existing(step, id);
    step.deleteRecord("pod", id);
    step.effects.add({ type: "pod-changed", podId: id });
  });
}

async function replace(
  engine: StepPort,
  id: string,
  change: (step: Step, pod: Pod) => Pod,
): Promise<Pod> {
  return engine.steps.commit((step) => {
    const pod = existing(step, id);
    const changed = change(step, pod);
    if (changed !== pod) {
      step.putRecord("pod", id, changed);
      step.effects.add({ type: "pod-changed", podId: id });
    }
    return changed;
  });
}

function existing(step: Step, id: string): Pod {
  return found(step.record("pod", id), id);
}

function found(pod: Pod | undefined, id: string): Pod {
  if (!pod) throw new ServiceError("pod_not_found", `there is no pod "${id}"`);
  return pod;
}

function templateOf(step: Pick<Step, "record" | "records">, id: string) {
  if (id === "") return undefined;
  const template = step.record("template", id);
  if (!template) throw invalidRequest([`templateId names no template: ${JSON.stringify(id)}`]);
  return template;
}
