/** Operations on one namespace of a cluster: pods, their logs, secrets and config maps. */
import type { IncomingMessage } from "node:http";
import type { V1ConfigMap, V1Pod, V1Secret } from "@kubernetes/client-node";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { ClusterConnection } from "./cluster-connection.ts";
import { brokenOff, ClusterError, isGone } from "./cluster-error.ts";
import type { SeenEvent, SeenPod } from "./seen-pod.ts";

/** A list of pods, and the version at which a watch continues. */
export interface PodList {
  readonly pods: readonly SeenPod[];
  readonly resourceVersion: string;
}

export type PodEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly pod: SeenPod }
  /** A version at which a watch can continue. */
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string };

/** Timeout after which the server ends a watch. */
const WATCH_SECONDS = 300;

/** Timeout after which a watch that the server did not end counts as broken. */
const WATCH_MAX_MS = (WATCH_SECONDS + 30) * 1_000;

/** Maximum length of a log line with its timestamp. */
const LOG_LINE_MAX = "2026-01-01T00:00:00.000000000Z ".length + LIMITS.logLineMaxBytes;

/** The server refuses unknown fields instead of dropping them silently (1.25 and later). */
const CREATE = { fieldValidation: "Strict" };

/** All operations throw a ClusterError if they fail. */
export class Cluster {
  readonly namespace: string;
  readonly #connection: ClusterConnection;

  constructor(connection: ClusterConnection, namespace: string) {
    this.#connection = connection;
    this.namespace = namespace;
  }

  async createPod(body: V1Pod): Promise<SeenPod> {
    return this.#create("pods", body);
  }

  /**
   * Ends a pod, then deletes it. It is not an error if the pod is gone, or another pod has its name now.
   *
   * @param graceSeconds time between SIGTERM and SIGKILL. A second call can shorten it; 0 deletes a pod whose node does not
   * answer
   */
  async deletePod({ metadata: { name, uid } }: SeenPod, graceSeconds: number): Promise<void> {
    const options = { gracePeriodSeconds: graceSeconds, preconditions: { uid } };
    await this.#delete("pods", name, options);
  }

  async listPods(labelSelector: string): Promise<PodList> {
    const path = this.#path("pods");
    const query = { labelSelector };
    const { items, metadata } = await this.#connection.ask<{
      readonly items: readonly SeenPod[];
      readonly metadata: { readonly resourceVersion: string };
    }>({ path, query });
    return { pods: items, resourceVersion: metadata.resourceVersion };
  }

  /**
   * Yields a bookmark when the server has accepted the watch, then the changes after the version, until the server ends the
   * watch.
   */
  async *watchPods(
    labelSelector: string,
    resourceVersion: string,
    signal: AbortSignal,
  ): AsyncGenerator<PodEvent> {
    const query = {
      ...{ watch: "true", allowWatchBookmarks: "true", labelSelector, resourceVersion },
      timeoutSeconds: String(WATCH_SECONDS),
    };
    const limit = AbortSignal.any([signal, AbortSignal.timeout(WATCH_MAX_MS)]);
    const opened = await this.#connection.open({ path: this.#path("pods"), query }, limit);
    yield { type: "BOOKMARK", resourceVersion };
    for await (const line of linesOf(opened)) {
      const { type, object } = JSON.parse(line) as WatchLine;
      if (type === "ERROR") {
        const { code: status, reason, message = "the watch failed" } = object;
        throw new ClusterError(message, { status, reason });
      }
      const { resourceVersion: version } = object.metadata;
      yield type === "BOOKMARK" ? { type, resourceVersion: version } : { type, pod: object };
    }
  }

  /**
   * Yields the lines that the worker writes, each after its timestamp, until the container has ended. Long lines are cut.
   *
   * @param sinceTime the timestamp of a line
   */
  async *followLog(
    { metadata: { name } }: SeenPod,
    sinceTime: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    const query = { follow: "true", timestamps: "true", sinceTime };
    const path = `${this.#path("pods")}/${name}/log`;
    yield* linesOf(await this.#connection.open({ path, query }, signal), LOG_LINE_MAX);
  }

  /** The pod's events of about the last hour. */
  async eventsOf({ metadata: { uid } }: SeenPod): Promise<readonly SeenEvent[]> {
    const query = { fieldSelector: `involvedObject.uid=${uid}` };
    const path = this.#path("events");
    const { items } = await this.#connection.ask<{ readonly items: readonly SeenEvent[] }>({
      path,
      query,
    });
    return items;
  }

  async createSecret(body: V1Secret): Promise<void> {
    await this.#create("secrets", body);
  }

  /** Deletes a secret. It is not an error if it is gone. */
  async deleteSecret(name: string): Promise<void> {
    await this.#delete("secrets", name, {});
  }

  /** Returns the uid of the config map with this name. Makes it if it is missing. */
  async provideConfigMap(body: V1ConfigMap): Promise<string> {
    const path = `${this.#path("configmaps")}/${body.metadata?.name ?? ""}`;
    try {
      const { metadata } = await this.#connection.ask<SeenPod>({ path });
      return metadata.uid;
    } catch (error) {
      if (!(error instanceof ClusterError) || error.status !== 404) throw error;
    }
    try {
      const { metadata } = await this.#create<SeenPod>("configmaps", body);
      return metadata.uid;
    } catch (error) {
      // Another process made it meanwhile.
      if (!(error instanceof ClusterError) || error.reason !== "AlreadyExists") throw error;
      return this.provideConfigMap(body);
    }
  }

  async #create<T>(kind: string, body: object): Promise<T> {
    const path = this.#path(kind);
    return this.#connection.ask<T>({ method: "POST", path, query: CREATE, body });
  }

  async #delete(kind: string, name: string, body: object): Promise<void> {
    try {
      const path = `${this.#path(kind)}/${name}`;
      await this.#connection.ask({ method: "DELETE", path, body });
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  #path(kind: string): string {
    return `/api/v1/namespaces/${this.namespace}/${kind}`;
  }
}

type WatchLine =
  | { readonly type: PodEvent["type"]; readonly object: SeenPod }
  | {
      readonly type: "ERROR";
      readonly object: {
        readonly code?: number;
        readonly reason?: string;
        readonly message?: string;
      };
    };

/** @param longest maximum length of a line; longer lines are cut */
async function* linesOf(
  input: IncomingMessage,
  longest = Number.POSITIVE_INFINITY,
): AsyncGenerator<string> {
  let partial = "";
  try {
    for await (const text of input.setEncoding("utf8")) {
      const pieces = (partial + String(text)).split("\n");
      partial = (pieces.pop() ?? "").slice(0, longest);
      yield* pieces.filter((piece) => piece !== "").map((piece) => piece.slice(0, longest));
    }
  } catch (error) {
    throw brokenOff(error);
  }
}
