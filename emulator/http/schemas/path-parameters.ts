/** Parameters in the paths of operations, by name. */

/** Description of each parameter. */
export const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  keyId: "Id of an API key.",
  endpointId: "Id of an endpoint.",
  jobId: "Id of a job.",
  file: "Name of a file of the documentation page.",
  path: "The path of the OpenAI API behind `/v1/`, for example `chat/completions`.",
  templateId: "Id of a template.",
  containerRegistryAuthId: "Id of a container registry auth.",
  deliveryId: "Id of a webhook delivery: the `webhook-id` of its calls.",
  podId: "Id of a pod.",
  workerId: "Id of a worker.",
  networkVolumeId: "Id of a network volume.",
  registryId: "Id of the credentials of a container registry.",
  gpuTypeId: "Name of a GPU type, for example `NVIDIA L4`.",
  cpuFlavorId: "Name of a CPU flavour, for example `cpu3c`.",
  dataCenterId: "Id of a data centre, for example `EU-RO-1`.",
};

/** An operation's path in the document's form: parameters as `{name}`, a `*` as `{path}`. */
export function writtenPath(path: string): string {
  return path.replaceAll(/:(\w+)/g, "{$1}").replace(/\*$/, "{path}");
}

export function parametersOf(path: string): readonly string[] {
  return Array.from(writtenPath(path).matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
}
