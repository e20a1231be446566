/** The objects of a namespace with their versions, and the history of their changes. */
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

/** A stored object. A change stores a copy. */
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

  /** Forgets the history up to now. */
  compact(): void {
    // Other objects of the cluster change too.
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

  /** Stores a change of the object, if it still exists. */
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

  /** Objects without remaining owners. */
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

/** Filters objects by a `labelSelector`. */
export function selected(query: URLSearchParams): (object: Stored) => boolean {
  const wanted = (query.get("labelSelector") ?? "").split(",").filter((each) => each !== "");
  return ({ metadata: { labels = {} } }) =>
    wanted.every((each) => {
      const [key = "", value = ""] = each.split("=");
      return labels[key] === value;
    });
}
