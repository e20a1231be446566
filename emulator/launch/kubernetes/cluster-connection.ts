/**
 * Sends requests to the API server of a cluster. Address and credentials come from a kubeconfig (`KUBECONFIG`,
 * `~/.kube/config`), or from the service account of the service's own pod.
 */
import http from "node:http";
import https, { type RequestOptions } from "node:https";
import { once } from "node:events";
import { json } from "node:stream/consumers";
import type { KubeConfig } from "@kubernetes/client-node/dist/config.js";
import { asClusterError, ClusterError } from "./cluster-error.ts";

export interface Question {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: object;
}

const ANSWER_MS = 30_000;

/** Interval after which TCP probes a silent connection. */
const KEEP_ALIVE_MS = 30_000;

export class ClusterConnection {
  readonly #kubeconfig: string | undefined;
  #config: Promise<KubeConfig> | undefined;

  /** @param kubeconfig path of a file; default: the files that the environment names */
  constructor(kubeconfig?: string) {
    this.#kubeconfig = kubeconfig;
  }

  /** @throws ClusterError */
  async ask<T>(question: Question): Promise<T> {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answer = await this.open(question, signal);
    try {
      return (await json(answer)) as T;
    } catch (error) {
      throw asClusterError(error, await this.#server(), askedIn(question));
    }
  }

  /** The answer as a stream. @throws ClusterError */
  async open(question: Question, signal: AbortSignal): Promise<http.IncomingMessage> {
    try {
      const answer = await this.#send(question, signal);
      const { statusCode: status = 0 } = answer;
      if (status >= 200 && status < 300) return answer;
      throw await refusalOf(answer, status);
    } catch (error) {
      throw asClusterError(error, await this.#server(), askedIn(question));
    }
  }

  async #send(question: Question, signal: AbortSignal): Promise<http.IncomingMessage> {
    const { method = "GET", path, query = {}, body } = question;
    const config = await this.#load();
    const url = new URL(`${config.getCurrentCluster()?.server ?? ""}${path}`);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, value);
    const options: RequestOptions = {};
    await config.applyToHTTPSOptions(options);
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      ...(options.headers as http.OutgoingHttpHeaders | undefined),
      accept: "application/json",
      // Node sends no body with a DELETE unless its length is set.
      ...(text !== undefined && {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(text),
      }),
    };
    const { request } = url.protocol === "http:" ? http : https;
    const asking = request(url, { ...options, method, headers, signal });
    asking.once("socket", (socket) => socket.setKeepAlive(true, KEEP_ALIVE_MS));
    asking.end(text);
    const [answer] = (await once(asking, "response")) as [http.IncomingMessage];
    // The reader gets the error. This listener catches it while there is no reader.
    answer.on("error", () => undefined);
    asking.on("error", (error) => answer.destroy(error));
    return answer;
  }

  async #server(): Promise<string> {
    const config = await this.#load().catch(() => undefined);
    return config?.getCurrentCluster()?.server ?? "an unknown address";
  }

  async #load(): Promise<KubeConfig> {
    this.#config ??= loadConfig(this.#kubeconfig);
    try {
      return await this.#config;
    } catch (error) {
      // The file is read again, because a missing or invalid one may be fixed meanwhile.
      this.#config = undefined;
      throw error;
    }
  }
}

/** Loads this part of the library on demand. Loading takes 0.3 s, which a service without a cluster should not spend. */
async function loadConfig(file: string | undefined): Promise<KubeConfig> {
  const { KubeConfig: Config } = await import("@kubernetes/client-node/dist/config.js");
  const config = new Config();
  try {
    if (file === undefined) config.loadFromDefault();
    else config.loadFromFile(file);
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new ClusterError(`the kubeconfig cannot be read: ${said}`, { cause: error });
  }
  const cluster = config.getCurrentCluster();
  // The library invents this cluster if it finds no kubeconfig.
  const isMadeUp = cluster?.name === "cluster" && cluster.server === "http://localhost:8080";
  if (cluster === null || isMadeUp)
    throw new ClusterError(
      "no cluster is known: set KUBECONFIG to a kubeconfig with a current context, or run in a pod with a service account",
    );
  return config;
}

async function refusalOf(answer: http.IncomingMessage, status: number): Promise<ClusterError> {
  const body: unknown = await json(answer).catch(() => undefined);
  const said = typeof body === "object" && body !== null ? body : {};
  const message =
    "message" in said ? String(said.message) : `the Kubernetes API answered ${status}`;
  const reason = "reason" in said ? String(said.reason) : undefined;
  return new ClusterError(message, { status, reason });
}

function askedIn({ method = "GET", path }: Question): string {
  return `${method} ${path}`;
}
