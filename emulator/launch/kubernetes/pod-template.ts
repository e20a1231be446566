/** Merges the pod template of a config under the manifest of each worker's pod. Pure. */
import type { V1Container, V1NodeSelectorTerm, V1Pod, V1PodSpec } from "@kubernetes/client-node";

/** A Kubernetes pod template. The cluster checks its fields when a pod is made. */
export interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  /** At most one container, `worker`: it is merged under the container of the worker. */
  readonly spec?: Partial<Omit<V1PodSpec, "containers">> & {
    readonly containers?: readonly Partial<V1Container>[];
  };
}

/** Requests of a container that has neither requests nor limits. Without any the cluster would end its pod before all others. */
const DEFAULT_REQUESTS = { cpu: "100m", memory: "256Mi" } as const;

/** The pod over the template: its own values win, and lists of objects have the entries of both. */
export function overTemplate(pod: V1Pod, template: PodTemplate = {}): V1Pod {
  const merged = over(pod, template, "") as V1Pod;
  const { limits, requests } = merged.spec?.containers[0]?.resources ?? {};
  const missing = Object.entries(DEFAULT_REQUESTS).filter(
    ([name]) => limits?.[name] === undefined && requests?.[name] === undefined,
  );
  if (missing.length === 0) return merged;
  const resources = { requests: Object.fromEntries(missing) };
  return over(merged, { spec: { containers: [{ resources }] } }, "") as V1Pod;
}

/** @param key the name of the field that has the values */
function over(own: unknown, template: unknown, key: string): unknown {
  if (template === undefined || template === null) return own;
  if (own === undefined || own === null) return template;
  if (Array.isArray(own) && Array.isArray(template)) return listOver(own, template, key);
  if (!isObject(own) || !isObject(template)) return own;
  const names = new Set([...Object.keys(own), ...Object.keys(template)]);
  return Object.fromEntries(
    [...names].map((name) => [name, over(own[name], template[name], name)]),
  );
}

function listOver(own: readonly unknown[], template: readonly unknown[], key: string): unknown {
  if (key === "containers") return own.map((one, index) => over(one, template[index], ""));
  if (key === "nodeSelectorTerms")
    return bothOf(own as V1NodeSelectorTerm[], template as V1NodeSelectorTerm[]);
  return own.every(isObject) ? [...own, ...template] : own;
}

/** A node must meet one term of each list. One term of a list is enough for the cluster, so each is joined with each. */
function bothOf(own: V1NodeSelectorTerm[], template: V1NodeSelectorTerm[]): V1NodeSelectorTerm[] {
  return own.flatMap((one) =>
    template.map((other) => ({
      matchExpressions: [...(one.matchExpressions ?? []), ...(other.matchExpressions ?? [])],
      matchFields: [...(one.matchFields ?? []), ...(other.matchFields ?? [])],
    })),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
