/** Refuses pods, secrets and config maps that the Kubernetes API refuses, although their fields and types are valid. */
import type { V1Container, V1ObjectMeta, V1Pod, V1Secret } from "@kubernetes/client-node";

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/u;
const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/u;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/u;
const QUALIFIED = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/u;
const SECRET_KEY = /^[-._a-zA-Z0-9]+$/u;
const QUANTITY = /^[0-9]+(\.[0-9]+)?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$/u;
const MB = 1024 ** 2;

export function metadataProblems(metadata: V1ObjectMeta): readonly string[] {
  const { name = "", labels = {}, annotations = {}, ownerReferences = [] } = metadata;
  const keys = [...Object.keys(labels), ...Object.keys(annotations)];
  return [
    ...(name === "" ? ["metadata.name: Required value: name or generateName is required"] : []),
    ...(name.length > 253 || (name !== "" && !SUBDOMAIN.test(name))
      ? [
          `metadata.name: Invalid value: "${name}": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'`,
        ]
      : []),
    ...keys
      .filter((key) => !isQualified(key))
      .map(
        (key) =>
          `metadata.labels: Invalid value: "${key}": name part must consist of alphanumeric characters`,
      ),
    ...Object.values(labels)
      .filter((value) => value.length > 63 || !LABEL_VALUE.test(value))
      .map(
        (value) =>
          `metadata.labels: Invalid value: "${value}": must be no more than 63 characters; a valid label must be an empty string or consist of alphanumeric characters`,
      ),
    ...ownerReferences
      .filter(({ apiVersion, kind, uid, name: owner }) => !apiVersion || !kind || !uid || !owner)
      .map(
        () =>
          "metadata.ownerReferences: Invalid value: apiVersion, kind, name and uid must not be empty",
      ),
  ];
}

function isQualified(key: string): boolean {
  const parts = key.split("/");
  const name = parts.pop() ?? "";
  const [prefix] = parts;
  const isPrefix = prefix === undefined || (prefix.length <= 253 && SUBDOMAIN.test(prefix));
  return parts.length <= 1 && isPrefix && name.length <= 63 && QUALIFIED.test(name);
}

export function podProblems({ metadata, spec }: V1Pod): readonly string[] {
  if (spec === undefined) return ["spec: Required value"];
  const { name = "" } = metadata ?? {};
  const { containers, restartPolicy = "Always", volumes = [] } = spec;
  const named = new Set(volumes.map((volume) => volume.name));
  return [
    ...(name.length > 63
      ? ["metadata.name: Invalid value: must be no more than 63 characters, to be a host name"]
      : []),
    ...(["Always", "OnFailure", "Never"].includes(restartPolicy)
      ? []
      : [`spec.restartPolicy: Unsupported value: "${restartPolicy}"`]),
    ...(containers === undefined || containers.length === 0
      ? ["spec.containers: Required value"]
      : []),
    ...(named.size < volumes.length ? ["spec.volumes[1].name: Duplicate value"] : []),
    ...(containers ?? []).flatMap((each, index) =>
      containerProblems(each, `spec.containers[${index}]`, named),
    ),
  ];
}

function containerProblems(
  container: V1Container,
  at: string,
  volumes: ReadonlySet<string>,
): readonly string[] {
  const { name, image, resources, volumeMounts = [], ports = [], livenessProbe } = container;
  const paths = volumeMounts.map(({ mountPath }) => mountPath);
  const { limits = {}, requests = {} } = resources ?? {};
  const probes = Object.keys(livenessProbe ?? {}).filter((key) =>
    ["exec", "httpGet", "tcpSocket"].includes(key),
  );
  return [
    ...(DNS_LABEL.test(name) && name.length <= 63 ? [] : [`${at}.name: Invalid value: "${name}"`]),
    ...(image === undefined || image === "" ? [`${at}.image: Required value`] : []),
    ...(image !== undefined && image !== image.trim()
      ? [`${at}.image: Invalid value: must not have leading or trailing whitespace`]
      : []),
    ...Object.entries({ ...limits, ...requests })
      .filter(([, value]) => !QUANTITY.test(value))
      .map(
        ([key, value]) =>
          `${at}.resources.limits[${key}]: Invalid value: "${value}": quantities must match the regular expression`,
      ),
    ...volumeMounts
      .filter((mount) => !volumes.has(mount.name))
      .map((mount) => `${at}.volumeMounts[0].name: Not found: "${mount.name}"`),
    ...(new Set(paths).size < paths.length
      ? [`${at}.volumeMounts[1].mountPath: Invalid value: must be unique`]
      : []),
    ...paths
      .filter((path) => path.includes(":"))
      .map(
        (path) => `${at}.volumeMounts[0].mountPath: Invalid value: "${path}": must not contain ':'`,
      ),
    ...ports
      .filter(({ containerPort }) => !(containerPort >= 1 && containerPort <= 65_535))
      .map(
        ({ containerPort }) =>
          `${at}.ports[0].containerPort: Invalid value: ${containerPort}: must be between 1 and 65535, inclusive`,
      ),
    ...(livenessProbe !== undefined && probes.length !== 1
      ? [`${at}.livenessProbe: Required value: must specify a handler type`]
      : []),
  ];
}

export function secretProblems({ data = {}, stringData = {}, type }: V1Secret): readonly string[] {
  const keys = [...Object.keys(data), ...Object.keys(stringData)];
  const bytes = Buffer.byteLength(JSON.stringify({ data, stringData }));
  const config = stringData[".dockerconfigjson"] ?? data[".dockerconfigjson"];
  return [
    ...keys
      .filter((key) => !SECRET_KEY.test(key) || key.length > 253)
      .map(
        (key) =>
          `data[${key}]: Invalid value: "${key}": a valid config key must consist of alphanumeric characters, '-', '_' or '.'`,
      ),
    ...(bytes > MB ? ["data: Too long: must have at most 1048576 bytes"] : []),
    ...(type === "kubernetes.io/dockerconfigjson" && config === undefined
      ? ["data[.dockerconfigjson]: Required value"]
      : []),
  ];
}
