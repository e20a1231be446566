/** Creates, changes, starts and stops pods: pure functions of their records. */
import { defined } from "../../../runtime/protocol/without-undefined.ts";
import { changedFields } from "../input/changed-fields.ts";
import { NO_IMAGE, type PodChanges, type PodInput } from "./pod-input.ts";
import type { Pod, PodContainer } from "./pod.ts";
import { invalidRequest, ServiceError } from "../service-error.ts";
import { CONTAINER_DEFAULTS } from "../resources/templates/template-fields.ts";
import type { Template } from "../resources/templates/template.ts";

/** Fields whose change leaves a running pod alone; any other change resets it (live). */
const FIELDS_IN_PLACE: ReadonlySet<string> = new Set(["dockerArgs", "locked", "name"]);

/**
 * A new pod with the wanted state "running". Its template, if any, fills in what the request leaves out.
 * @throws ServiceError `invalid_request` for a template of workers
 */
export function makePod(
  id: string,
  input: PodInput,
  template: Template | undefined,
  now: string,
): Pod {
  const { templateId, networkVolumeId, containerRegistryAuthId, ...others } = input;
  const { containerDiskInGb, volumeInGb, volumeMountPath, ...more } = others;
  const { dockerEntrypoint, dockerStartCmd, dockerArgs, env, ports, ...machine } = more;
  const disks = { containerDiskInGb, volumeInGb, volumeMountPath };
  if (template?.isServerless === true) {
    const message = `templateId names the template "${template.name}" of workers; a pod needs one with isServerless false`;
    throw invalidRequest([message]);
  }
  const imageName = input.imageName ?? template?.imageName;
  if (imageName === undefined) throw invalidRequest([`imageName ${NO_IMAGE}`]);
  const authId = containerRegistryAuthId ?? template?.containerRegistryAuthId;
  return {
    ...CONTAINER_DEFAULTS,
    ...(template && containerOf(template)),
    ...defined({ ...disks, dockerEntrypoint, dockerStartCmd, dockerArgs, env, ports }),
    ...machine,
    id,
    imageName,
    ...(isId(templateId) && { templateId }),
    ...(isId(networkVolumeId) && { networkVolumeId }),
    ...(isId(authId) && { containerRegistryAuthId: authId }),
    ...started("created", now),
    createdAt: now,
  };
}

export const POD_ACTIONS = ["start", "stop", "reset", "restart"] as const;
export type PodAction = (typeof POD_ACTIONS)[number];

/**
 * Applies an action. Returns `pod` itself if there is nothing to do: starting a running pod, stopping a stopped one. A reset or
 * restart starts a stopped pod.
 * @throws ServiceError `pod_locked`
 */
export function actOnPod(pod: Pod, action: PodAction, now: string): Pod {
  if (action === "start") {
    return pod.desiredStatus === "RUNNING" ? pod : { ...pod, ...started("started", now) };
  }
  if (pod.locked) {
    throw new ServiceError("pod_locked", `the pod "${pod.id}" is locked; unlock it first`);
  }
  if (action !== "stop") {
    const how = action === "reset" ? "reset" : "restarted";
    return { ...pod, ...started(how, now) };
  }
  if (pod.desiredStatus !== "RUNNING") return pod;
  return { ...pod, desiredStatus: "EXITED", lastStatusChange: `stopped at ${now}` };
}

/**
 * Applies a change. Returns `pod` itself if nothing changes. A change that cannot be made in place resets a running pod.
 * @throws ServiceError `pod_locked` for such a change of a locked pod, unless it unlocks the pod
 */
export function changePod(pod: Pod, changes: PodChanges, now: string): Pod {
  const { containerRegistryAuthId = pod.containerRegistryAuthId, ...others } = defined(changes);
  const wanted: Pod = {
    ...pod,
    ...others,
    containerRegistryAuthId: isId(containerRegistryAuthId) ? containerRegistryAuthId : undefined,
  };
  const changed = changedFields(pod, wanted);
  if (changed.length === 0) return pod;
  const isInPlace = changed.every((field) => FIELDS_IN_PLACE.has(field));
  return isInPlace || pod.desiredStatus !== "RUNNING" ? wanted : actOnPod(wanted, "reset", now);
}

export interface PodEnd {
  /** A sentence without its subject. */
  readonly how: string;
  /** True: the pod could not be started. */
  readonly hasFailed: boolean;
}

/** The pod after its program ended by itself, or could not be started. */
export function endPod(pod: Pod, { how, hasFailed }: PodEnd, now: string): Pod {
  const ended = { desiredStatus: "EXITED", lastStatusChange: `${how} at ${now}` } as const;
  return { ...pod, ...ended, ...(hasFailed && { hasFailed }) };
}

/** Fields that do not affect the running container. */
const ABOUT_NO_RUN: ReadonlySet<string> = new Set([
  ...FIELDS_IN_PLACE,
  ...["desiredStatus", "hasFailed", "lastStatusChange"],
]);

/** Whether the container that runs as `before` still fits. */
export function isSameRun(now: Pod, before: Pod): boolean {
  return changedFields(before, now).every((field) => ABOUT_NO_RUN.has(field));
}

function started(how: string, now: string) {
  return {
    desiredStatus: "RUNNING",
    hasFailed: undefined,
    lastStartedAt: now,
    lastStatusChange: `${how} at ${now}`,
  } as const;
}

function containerOf(template: Template): PodContainer {
  const { imageName, containerDiskInGb, volumeInGb, volumeMountPath } = template;
  const { dockerEntrypoint, dockerStartCmd, dockerArgs, env, ports } = template;
  return {
    ...{ imageName, containerDiskInGb, volumeInGb, volumeMountPath },
    ...{ dockerEntrypoint, dockerStartCmd, dockerArgs, env, ports },
  };
}

/** An empty id means none (live). */
function isId(id: string | null | undefined): id is string {
  return id !== undefined && id !== null && id !== "";
}
