/** Problems of rendered objects: those that a cluster would refuse, and references to missing objects. */
import type { V1Ingress, V1NetworkPolicy, V1Service, V1StatefulSet } from "@kubernetes/client-node";
import { misfits } from "../../setup/pods-api/schema.ts";
import type { ClusterObject, Rendered } from "./chart.ts";

const LABEL = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/u;

/** Kinds that are unknown to the client library. */
const FOREIGN = new Set(["ServiceMonitor"]);

export function problemsOf(rendered: Rendered): readonly string[] {
  const { objects } = rendered;
  const names = objects.map(
    ({ kind, metadata }) => `${kind} ${metadata.namespace ?? ""}/${metadata.name}`,
  );
  return [
    ...objects.flatMap((object) => fieldProblems(object)),
    ...twice(names),
    ...podProblems(rendered),
    ...wayProblems(rendered),
  ];
}

/** Unknown fields, values of a wrong type, and invalid labels. */
export function fieldProblems(object: ClusterObject): readonly string[] {
  const { kind, metadata } = object;
  const none = { unknown: [], mistyped: [] };
  const { unknown, mistyped } = FOREIGN.has(kind) ? none : misfits(object, `V1${kind}`);
  const labels = Object.values(metadata.labels ?? {}).filter((value) => !LABEL.test(value));
  const found = [
    ...unknown.map((field) => `${field} is unknown`),
    ...mistyped,
    ...labels.map((value) => `${value} is no label`),
  ];
  return found.map((problem) => `${kind} ${metadata.name}: ${problem}`);
}

function podProblems({ one, all }: Rendered): readonly string[] {
  const pod = one<V1StatefulSet>("StatefulSet").spec?.template.spec;
  const { containers = [], volumes = [] } = pod ?? {};
  const { env, volumeMounts, ports, livenessProbe, readinessProbe } = containers[0] ?? {};
  const made = (kind: string) => namesOf(all(kind).map(({ metadata }) => metadata));
  const ofChart = volumes.filter(({ name }) => name === "config" || name === "data");
  const probed = [livenessProbe, readinessProbe].map((probe) => probe?.httpGet?.port);
  const maps = ofChart.map(({ configMap }) => configMap?.name);
  const claims = ofChart.map(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName);
  return [
    ...missing("volume", namesOf(volumeMounts), namesOf(volumes)),
    ...missing("mount", namesOf(volumes), namesOf(volumeMounts)),
    ...missing("config map", maps, made("ConfigMap")),
    ...missing("claim", claims, made("PersistentVolumeClaim")),
    ...missing("service account", [pod?.serviceAccountName], made("ServiceAccount")),
    ...missing("port", probed, namesOf(ports)),
    ...twice(namesOf(env)),
  ];
}

/** Problems between ingress and pods: selectors and names of ports. */
function wayProblems({ one, all }: Rendered): readonly string[] {
  const { spec, metadata } = one<V1StatefulSet>("StatefulSet");
  const services = all<V1Service>("Service");
  const policy = all<V1NetworkPolicy>("NetworkPolicy").find(
    (each) => each.metadata.name === metadata.name,
  );
  const selectors = [
    ...services.map((service) => service.spec?.selector),
    ...[spec?.selector.matchLabels, policy?.spec?.podSelector?.matchLabels],
  ];
  const named = [
    ...services.flatMap((service) => service.spec?.ports?.map(({ targetPort }) => targetPort)),
    ...(policy?.spec?.ingress?.flatMap(({ ports }) => ports?.map(({ port }) => port)) ?? []),
  ];
  const offered = services.flatMap((service) =>
    service.spec?.ports?.map(({ name }) => `${service.metadata.name}:${name}`),
  );
  const backends = all<V1Ingress>("Ingress")
    .flatMap((ingress) => ingress.spec?.rules ?? [])
    .flatMap((rule) => rule.http?.paths ?? [])
    .map(({ backend: { service } }) => `${service?.name}:${service?.port?.name}`);
  const ports = spec?.template.spec?.containers[0]?.ports;
  const labels = pairs(spec?.template.metadata?.labels);
  // The cluster sets this label on each pod of a set.
  const wanted = selectors.flatMap(pairs).filter((pair) => !pair.startsWith("statefulset."));
  return [
    ...missing("label of the pods", wanted, labels),
    ...missing("port", named, namesOf(ports)),
    ...missing("way to the pods", backends, offered),
  ];
}

function namesOf(things: readonly { readonly name?: string }[] = []) {
  return things.map(({ name }) => name);
}

function pairs(labels: Readonly<Record<string, string>> = {}): readonly string[] {
  return Object.entries(labels).map((pair) => pair.join("="));
}

function missing(what: string, wanted: readonly unknown[], there: readonly unknown[]): string[] {
  const lacking = wanted.filter((name) => name !== undefined && !there.includes(name));
  return lacking.map((name) => `${String(name)} is no ${what}`);
}

function twice(names: readonly unknown[]): string[] {
  const again = names.filter((name, index) => names.indexOf(name) !== index);
  return again.map((name) => `${String(name)} is there twice`);
}
