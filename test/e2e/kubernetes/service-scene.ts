/** The built emulator on a real cluster, with an image of a worker and endpoints of it. */
import fs from "node:fs";
import path from "node:path";
import { nodeImage } from "../../setup/docker-node-image.ts";
import type { TestDocker } from "../../setup/docker.ts";
import { freePort } from "../../setup/free-port.ts";
import {
  type ClusterNamespace,
  type Kubernetes,
  startKubernetes,
} from "../../setup/kubernetes/start.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";
import { API_KEY, KillableEmulator } from "../crash/killable-emulator.ts";

const root = path.resolve(import.meta.dirname, "../../..");

/** A handler that works for a given time, and returns the number of its attempt. */
const HANDLER = `export default async ({ input, attempt }) => {
  await new Promise((resolve) => setTimeout(resolve, input.ms));
  return { attempt };
};`;

const SERVER = `require("node:http").createServer((request, response) => response.end("from " + process.env.SV_WORKER_ID))
  .listen(Number(process.env.PORT), "0.0.0.0");`;

const SMALL = { SV_CONTAINER_MEMORY: "256m", SV_CONTAINER_TMP: "64m" };
const SCALED = { workersMin: 0, scalerType: "REQUEST_COUNT", scalerValue: 1, idleTimeout: 1 };

export interface Answer {
  readonly id: string;
  readonly status: string;
  readonly output?: unknown;
  readonly workerId?: string;
  readonly retries?: number;
  readonly workers: readonly { readonly id: string; readonly waitsFor?: string }[];
}

export class ServiceScene implements AsyncDisposable {
  readonly cluster: Kubernetes;
  readonly #parts: AsyncDisposableStack;
  readonly #namespace: ClusterNamespace;
  readonly #start: () => KillableEmulator;
  readonly #url: string;
  #emulator: KillableEmulator | undefined;

  private constructor(
    { cluster, namespace }: { cluster: Kubernetes; namespace: ClusterNamespace },
    { url, start }: { url: string; start: () => KillableEmulator },
    parts: AsyncDisposableStack,
  ) {
    this.cluster = cluster;
    this.#namespace = namespace;
    this.#url = url;
    this.#start = start;
    this.#parts = parts;
  }

  /** Prepares everything except the emulator. */
  static async open(): Promise<ServiceScene> {
    await using parts = new AsyncDisposableStack();
    const directory = parts.use(temporaryDirectory()).path;
    const cluster = parts.use(await startKubernetes());
    const { node, worker } = await makeImages(cluster.docker, directory);
    const namespace = parts.use(await cluster.makeNamespace());
    const config = path.join(directory, "sv.json");
    const endpoints = {
      app: { ...SCALED, image: worker, env: SMALL, workersMax: 3 },
      many: { ...SCALED, image: worker, env: SMALL, workersMax: 10 },
      gpu: { ...SCALED, image: worker, env: SMALL, workersMax: 1, computeType: "GPU" },
      lb: {
        ...{ image: node, type: "LOAD_BALANCING", workersMin: 0, workersMax: 1 },
        ...{ env: { ...SMALL, PORT: "8000" }, dockerStartCmd: ["node", "-e", SERVER] },
      },
    };
    fs.writeFileSync(config, JSON.stringify({ endpoints, dataDir: "data" }));
    const [port, workerPort] = [await freePort(), await freePort()];
    const args = [
      ...["--host", cluster.hostAddress, "--worker-port", String(workerPort)],
      ...["--kubernetes", namespace.name, "--s3-port", "off"],
    ];
    const env = { KUBECONFIG: cluster.kubeconfig };
    const start = () => new KillableEmulator({ config, port, args, env });
    const url = `http://${cluster.hostAddress}:${port}`;
    return new ServiceScene({ cluster, namespace }, { url, start }, parts.move());
  }

  async start(): Promise<void> {
    this.#emulator = this.#start();
    await this.#emulator.ready;
  }

  async kill(): Promise<void> {
    await this.#emulator?.kill();
  }

  async stop(): Promise<void> {
    await this.#emulator?.stop();
  }

  fetch(at: string, method = "GET", body?: object): Promise<Response> {
    const headers = { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" };
    const sent = body && { body: JSON.stringify(body) };
    return fetch(`${this.#url}${at}`, { method, headers, ...sent });
  }

  async ask(at: string): Promise<Answer> {
    return (await (await this.fetch(at)).json()) as Answer;
  }

  /** Returns the job's id. */
  async submit(endpointId: string, ms: number): Promise<string> {
    const answer = await this.fetch(`/v2/${endpointId}/run`, "POST", { input: { ms } });
    return ((await answer.json()) as Answer).id;
  }

  kubectl(...args: readonly string[]): Promise<string> {
    return this.cluster.kubectl(["--namespace", this.#namespace.name, ...args]);
  }

  /** Names of the service's pods in one phase, or of all its pods. */
  async pods(phase?: string): Promise<readonly string[]> {
    const only = phase === undefined ? [] : [`--field-selector=status.phase=${phase}`];
    return words(await this.kubectl("get", "pods", ...only, "-o", "name"));
  }

  /** Names of the secrets of workers. */
  async secrets(): Promise<readonly string[]> {
    return words(await this.kubectl("get", "secrets", "-l", "sv-runtime/service", "-o", "name"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#emulator?.kill();
    await this.#parts.disposeAsync();
  }
}

function words(text: string): readonly string[] {
  return text.split(/\s+/u).filter((word) => word !== "");
}

/** Makes the image with Node, and the image of a worker on this project's base. */
export async function makeImages(docker: TestDocker, directory: string) {
  const node = await nodeImage(docker);
  const [base, worker] = ["sv-test/kubernetes-base:1", "sv-test/kubernetes-worker:1"];
  const of = [`BASE_IMAGE=${node}`, `NODE_IMAGE=${node}`].flatMap((arg) => ["--build-arg", arg]);
  await docker.ask("build", "-f", path.join(root, "Dockerfile.base"), "-t", base, ...of, root);
  fs.writeFileSync(path.join(directory, "handler.mjs"), HANDLER);
  const dockerfile = path.join(directory, "Dockerfile");
  fs.writeFileSync(dockerfile, `FROM ${base}\nCOPY handler.mjs /app/handler.mjs\n`);
  await docker.ask("build", "-t", worker, directory);
  return { node, worker };
}
