/** The objects of a namespace with their versions, and what became of them in the order in which it did. */
import type { V1PodSpec, V1PodStatus } from "@kubernetes/client-node";
import { ApiProblem, notFound } from "./problem.ts";

export type Kind = "pods" | "secrets" | "configmaps";

export interface Metadata {
  name: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp: string;
  labels?: Record<string, string>;
  ownerReferences?: { readonly uid: string }[];
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
}

/** An object as it is stored; whoever changes one stores a copy. */
export interface Stored {
  readonly metadata: Metadata;
  readonly spec?: V1PodSpec;
  readonly status?: V1PodStatus;
  readonly data?: Readonly<Record<string, string>>;
}

export interface Happening {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly kind: Kind;
  readonly object: Stored;
  readonly version: number;
}

export class Objects {
  readonly #objects = new Map<string, Stored>();
  readonly #listeners = new Set<(happening: Happening) => void>();
  #history: Happening[] = [];
  #version = 1_000;
  #compactedAt = 0;

  get version(): string {
    return String(this.#version);
  }

  /** From now on nobody can be told what happened before. */
  compact(): void {
    // Something happens elsewhere in the cluster, too.
    this.#version += 10;
    this.#compactedAt = this.#version;
    this.#history = [];
  }

  /** @throws ApiProblem 410 */
  since(version: string): readonly Happening[] {
    if (Number(version) < this.#compactedAt)
      throw new ApiProblem(
        410,
        "Expired",
        `too old resource version: ${version} (${this.#compactedAt})`,
      );
    return this.#history.filter((each) => each.version > Number(version));
  }

  listen(listener: (happening: Happening) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  list(kind: Kind): readonly Stored[] {
    return [...this.#objects].filter(([key]) => key.startsWith(`${kind}/`)).map(([, each]) => each);
  }

  find(kind: Kind, name: string): Stored | undefined {
    return this.#objects.get(`${kind}/${name}`);
  }

  /** @throws ApiProblem 404 */
  get(kind: Kind, name: string): Stored {
    const found = this.find(kind, name);
    if (found === undefined) throw notFound(kind, name);
    return found;
  }

  /** @throws ApiProblem 409 */
  add(
    kind: Kind,
    body: Readonly<Record<string, unknown>> & { readonly metadata: { name: string } },
  ): Stored {
    const { name } = body.metadata;
    if (this.find(kind, name) !== undefined)
      throw new ApiProblem(409, "AlreadyExists", `${kind} "${name}" already exists`);
    const made = { uid: crypto.randomUUID(), creationTimestamp: now(), resourceVersion: "" };
    return this.#put("ADDED", kind, { ...body, metadata: { ...body.metadata, ...made } });
  }

  /** Stores the object as it is now, if it is there still. */
  change(
    kind: Kind,
    { metadata: { name, uid } }: Stored,
    change: (object: Stored) => Stored,
  ): void {
    const before = this.find(kind, name);
    if (before?.metadata.uid !== uid) return;
    this.#put("MODIFIED", kind, change(structuredClone(before)));
  }

  remove(kind: Kind, name: string): void {
    const before = this.find(kind, name);
    if (before === undefined) return;
    this.#put("DELETED", kind, structuredClone(before));
    this.#objects.delete(`${kind}/${name}`);
  }

  /** Objects whose owners are all gone. */
  orphans(): readonly (readonly [Kind, Stored])[] {
    const uids = new Set([...this.#objects.values()].map(({ metadata }) => metadata.uid));
    const isOrphan = ({ metadata: { ownerReferences: owners = [] } }: Stored) =>
      owners.length > 0 && owners.every(({ uid }) => !uids.has(uid));
    return (["pods", "secrets", "configmaps"] as const).flatMap((kind) =>
      this.list(kind)
        .filter(isOrphan)
        .map((each) => [kind, each] as const),
    );
  }

  #put(type: Happening["type"], kind: Kind, object: Stored): Stored {
    this.#version += 1;
    object.metadata.resourceVersion = this.version;
    this.#objects.set(`${kind}/${object.metadata.name}`, object);
    const happening = { type, kind, object, version: this.#version };
    this.#history.push(happening);
    for (const listener of [...this.#listeners]) listener(happening);
    return object;
  }
}

export function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/u, "Z");
}

/** Those that a `labelSelector` names. */
export function selected(query: URLSearchParams): (object: Stored) => boolean {
  const wanted = (query.get("labelSelector") ?? "").split(",").filter((each) => each !== "");
  return ({ metadata: { labels = {} } }) =>
    wanted.every((each) => {
      const [key = "", value = ""] = each.split("=");
      return labels[key] === value;
    });
}
