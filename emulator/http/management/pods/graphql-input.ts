/** Reads new pods in GraphQL inputs as input of the use case. Pure. */
import { type PodInput, readPodInput } from "../../../core/pods/pod-input.ts";
import { type ServerSecrets, serverVariables } from "../../../core/pods/server-variables.ts";
import type { Template } from "../../../core/resources/templates/template.ts";
import { invalidRequest } from "../../../core/service-error.ts";
import { cpuOf } from "../catalog/graphql-cpu-instances.ts";
import { defined, given, type Input, listOf, textOf } from "../graphql/input.ts";
import { containerInput } from "../templates/graphql-input.ts";

/** The official template of CPU pods, which clients use by default. Here it only names an image (ours). */
const PLAIN_TEMPLATE = "runpod-ubuntu";

const PLAIN_IMAGE = "ubuntu:24.04";

/** Id of the input's template; undefined for the official one. */
export function templateIdOf(input: Input): string | undefined {
  const id = textOf(input["templateId"]);
  return id === PLAIN_TEMPLATE ? undefined : id;
}

/** Data of a pod that its input does not contain. */
interface Resolved extends ServerSecrets {
  readonly template: Template | undefined;
}

/** @throws ServiceError invalid_request */
export function podInputOf(input: Input, computeType: "CPU" | "GPU", resolved: Resolved): PodInput {
  const { template } = resolved;
  const sent = given(input);
  refuseTimers(sent);
  const { dockerArgs, env, ...container } = containerInput(input);
  const isPlain = sent["templateId"] === PLAIN_TEMPLATE;
  const read = readPodInput({
    // Without a template, the pod has no ports and no volume (live).
    ...(template === undefined && { ports: [], volumeInGb: 0 }),
    ...(isPlain && { imageName: PLAIN_IMAGE }),
    ...withoutEmpty(container),
    ...envFields(env, sent, resolved),
    ...defined({
      templateId: templateIdOf(input),
      networkVolumeId: sent["networkVolumeId"],
      cloudType: sent["cloudType"] === "ALL" ? undefined : sent["cloudType"],
      dataCenterIds: listOf(sent["dataCenterId"]),
      countryCodes: listOf(sent["countryCode"]),
      supportPublicIp: sent["supportPublicIp"],
      minDownloadMbps: sent["minDownload"],
      minUploadMbps: sent["minUpload"],
    }),
    computeType,
    ...(computeType === "CPU" ? cpuFields(sent) : gpuFields(sent)),
  });
  return { ...read, dockerArgs, minCudaVersion: textOf(sent["minCudaVersion"]) };
}

/** Absent ports or an absent volume come from the template. */
function withoutEmpty({ ports, ...container }: Input): Input {
  const isSet = Array.isArray(ports) && ports.length > 0;
  return { ...container, ...(isSet && { ports }) };
}

/** Variables for servers come first, so that the input can override them. */
function envFields(
  env: unknown,
  { startSsh, startJupyter }: Input,
  { template, ...secrets }: Resolved,
): Input {
  const wanted = {
    startSsh: isFlag(startSsh) ? startSsh : template?.startSsh,
    startJupyter: isFlag(startJupyter) ? startJupyter : template?.startJupyter,
  };
  const ofServers = serverVariables(wanted, secrets);
  if (env === undefined && Object.keys(ofServers).length === 0) return {};
  return { env: { ...ofServers, ...((env ?? template?.env) as Input | undefined) } };
}

function isFlag(value: unknown): value is boolean {
  return typeof value === "boolean";
}

function gpuFields(sent: Input): Input {
  const { gpuTypeId, gpuCount = 1, minMemoryInGb, minVcpuCount, allowedCudaVersions } = sent;
  const each = (all: unknown) =>
    typeof all === "number" ? Math.ceil(all / Math.max(1, Number(gpuCount))) : undefined;
  return defined({
    gpuTypeIds: gpuTypeId === undefined ? undefined : [gpuTypeId],
    gpuCount,
    allowedCudaVersions: listOf(allowedCudaVersions),
    minRAMPerGPU: each(minMemoryInGb),
    minVCPUPerGPU: each(minVcpuCount),
  });
}

function cpuFields({ instanceId }: Input): Input {
  return instanceId === undefined ? {} : cpuOf([instanceId]);
}

/** @throws ServiceError invalid_request */
function refuseTimers(sent: Input): void {
  const timers = ["stopAfter", "terminateAfter"].filter((name) => sent[name] !== undefined);
  if (timers.length === 0) return;
  throw invalidRequest(
    timers.map((name) => `${name} is not served here: a pod runs until it is stopped or deleted`),
  );
}
