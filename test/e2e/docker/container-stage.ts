/** An emulator on a real Docker engine, with images of handlers that follow their jobs' inputs. */
import assert from "node:assert/strict";
import path from "node:path";
import {
  createClient,
  type Client,
  type EndpointClient,
  type JobState,
} from "../../../runtime/client/index.ts";
import { nodeImage } from "../../setup/docker-node-image.ts";
import type { TestDocker } from "../../setup/docker.ts";
import { temporaryTree, type TemporaryTree } from "../../temporary-tree.ts";
import { type EmulatorProcess, startEmulatorProcess } from "../emulator-process.ts";
import { eventually } from "../jobs/observe.ts";

const root = path.resolve(import.meta.dirname, "../../..");

/** Does what the job's input says, after waiting for a file of the volume if the input names one. */
const OBEYS = `import fs from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
export const concurrency = 1;
export default async (job, context) => {
  const { input } = job;
  if (input.until !== undefined) {
    while (!fs.existsSync(context.volumePath + "/" + input.until)) await delay(20, undefined, { signal: context.signal });
  }
  switch (input.do) {
    case "block": console.log("blocking"); for (;;);
    case "eat": { const eaten = []; for (;;) eaten.push(Buffer.alloc(5_000_000, 1)); }
    case "wait": console.log("waiting"); return new Promise((_, reject) =>
      context.signal.addEventListener("abort", () => reject(context.signal.reason)));
    case "pause": return delay(input.ms, "paused");
    case "write": fs.writeFileSync(context.volumePath + "/" + input.file, input.text); return context.volumePath;
    case "read": return [context.volumePath, "/models/mine", "/runpod-volume"].map((place) => fs.readFileSync(place + "/" + input.file, "utf8"));
    case "upload": return context.upload(input.file, input.text);
    case "look": return { env: process.env, uid: process.getuid(), status: fs.readFileSync("/proc/self/status", "utf8"), root: canWrite("/etc/x"), tmp: canWrite("/tmp/x"), home: canWrite(process.env.HOME + "/x") };
    default: return { image: process.env.BUILT_AS, ...input };
  }
};
function canWrite(file) { try { fs.writeFileSync(file, "x"); return true; } catch (error) { return error.code; } }
`;
const STREAMS = `export default async function* ({ input }) { for (let n = 0; n < input.count; n++) yield { n }; }
`;
const DEFINED = `import { defineHandler } from "sv-runtime";
export default defineHandler({ setup: () => 40, run: ({ input }, { state }) => state + input.more });
`;

/** The images exist as long as the engine's tests run. */
export interface WorkerImages {
  /** Image with the handlers handler.js (the default), streams.js and defined.js. */
  readonly worker: string;
  /** A second image with these handlers, which return its name. */
  readonly second: string;
  /** A third image with these handlers and the stop signal SIGKILL. */
  readonly hasty: string;
  /** Node and a shell, without any worker. */
  readonly plain: string;
}

export async function buildWorkerImages(docker: TestDocker): Promise<WorkerImages> {
  const plain = await nodeImage(docker);
  const tag = (name: string) => `sv-test/launcher-${name}:${process.pid}`;
  const nodes = ["BASE_IMAGE", "NODE_IMAGE"].flatMap((arg) => ["--build-arg", `${arg}=${plain}`]);
  const base = ["-f", path.join(root, "Dockerfile.base"), "-t", tag("base"), ...nodes];
  await docker.ask("build", "--label", docker.label, ...base, root);
  const build = async (name: string, input: string, folder: string) => {
    const args = ["build", "-f", "-", "-t", tag(name), "--label", docker.label, folder];
    const { code, stdout, stderr } = await docker.cli(args, { input });
    assert.equal(code, 0, stdout + stderr);
  };
  await using files = await temporaryTree({
    "handler.js": OBEYS,
    "streams.js": STREAMS,
    "defined.js": DEFINED,
  });
  const dockerfile = `FROM ${tag("base")}\nCOPY . .\nENV BUILT_AS=`;
  await build("worker", `${dockerfile}first\n`, files.root);
  await build("second", `${dockerfile}second\n`, files.root);
  await build("hasty", `${dockerfile}first\nSTOPSIGNAL SIGKILL\n`, files.root);
  const [worker, second, hasty] = [tag("worker"), tag("second"), tag("hasty")];
  return { worker, second, hasty, plain };
}

type Fields = Readonly<Record<string, unknown>>;

/** Additional options of the emulator. */
interface Given {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Disposing of it stops the emulator, and checks that no container is left. */
export class ContainerStage implements AsyncDisposable {
  readonly #docker: TestDocker;
  readonly #tree: TemporaryTree;
  readonly #args: readonly string[];
  readonly #env: Readonly<Record<string, string>>;
  readonly #endpointIds: string[] = [];
  #running: { readonly emulator: EmulatorProcess; readonly client: Client } | undefined;
  #names = 0;

  private constructor(docker: TestDocker, tree: TemporaryTree, { args = [], env = {} }: Given) {
    this.#docker = docker;
    this.#tree = tree;
    this.#args = args;
    this.#env = env;
  }

  static async set(docker: TestDocker, given: Given = {}): Promise<ContainerStage> {
    const tree = await temporaryTree({
      "local.js": "export default () => 'local';\n",
      "sv.config.json": JSON.stringify({
        endpoints: { local: { handler: "local.js", workersMin: 0 } },
      }),
    });
    const stage = new ContainerStage(docker, tree, given);
    await stage.start();
    return stage;
  }

  /** Starts the emulator on its present data directory. */
  async start(): Promise<void> {
    const emulator = await startEmulatorProcess({
      args: ["sv.config.json", ...this.#args],
      cwd: this.#tree.root,
      env: { DOCKER_HOST: this.#docker.host, MINE_ALONE: "not for containers", ...this.#env },
    });
    const client = createClient({ baseUrl: emulator.url, apiKey: emulator.apiKey });
    this.#running = { emulator, client };
  }

  get emulator(): EmulatorProcess {
    return this.#now().emulator;
  }

  /** A file of the data directory. */
  data(...parts: readonly string[]): string {
    return this.#tree.path(".sv", ...parts);
  }

  endpoint<Output = unknown>(id: string): EndpointClient<unknown, Output> {
    return this.#now().client.endpoint<unknown, Output>(id);
  }

  /** The job after its end. */
  async ended(endpointId: string, jobId: string): Promise<JobState> {
    const endpoint = this.endpoint(endpointId);
    await endpoint.wait(jobId, { timeoutMs: 60_000 }).catch(() => undefined);
    return endpoint.status(jobId);
  }

  /** Makes a template and an endpoint of it. Returns the endpoint's id. */
  async serve(template: Fields, endpoint: Fields = {}): Promise<string> {
    const { id: templateId } = await this.template(template);
    return this.serveWith(String(templateId), endpoint);
  }

  async serveWith(templateId: string, endpoint: Fields): Promise<string> {
    const made = await this.call("POST", "/endpoints", {
      name: "e",
      templateId,
      computeType: "CPU",
      workersMax: 1,
      idleTimeout: 60,
      ...endpoint,
    });
    const id = String(made["id"]);
    this.#endpointIds.push(id);
    return id;
  }

  async template(fields: Fields): Promise<Fields> {
    this.#names += 1;
    const name = `t${this.#names}`;
    return this.call("POST", "/templates", { name, isServerless: true, volumeInGb: 0, ...fields });
  }

  /** Calls the management interface. @throws Error with the answer if it refuses */
  async call(method: string, place: string, body?: Fields): Promise<Fields> {
    const { url, apiKey } = this.emulator;
    const response = await fetch(`${url}/v1${place}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${place}: ${response.status} ${text}`);
    return text === "" ? {} : (JSON.parse(text) as Fields);
  }

  /** The ids of the containers of the endpoints, running or not. */
  async containers(...endpointIds: readonly string[]): Promise<readonly string[]> {
    const found = [];
    for (const id of endpointIds.length > 0 ? endpointIds : this.#endpointIds) {
      const list = await this.#docker.ask("ps", "-aq", "--filter", `label=sv.endpoint=${id}`);
      found.push(...list.split("\n").filter((line) => line !== ""));
    }
    return found;
  }

  async containersAre(count: number, endpointId: string): Promise<readonly string[]> {
    return eventually(`${count} containers`, async () => {
      const found = await this.containers(endpointId);
      return found.length === count ? found : undefined;
    });
  }

  /** Ends the emulator by SIGKILL, so that it does not clean up. */
  async kill(): Promise<void> {
    const { emulator, client } = this.#now();
    this.#running = undefined;
    await client.close();
    await emulator[Symbol.asyncDispose]();
  }

  async stop(): Promise<void> {
    const { emulator, client } = this.#now();
    this.#running = undefined;
    await client.close();
    const exit = await emulator.stop();
    const left = await this.containers();
    for (const id of left) await this.#docker.cli(["rm", "-fv", id]);
    assert.deepEqual({ ...exit, left }, { code: 0, signal: null, left: [] });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      if (this.#running !== undefined) await this.stop();
    } finally {
      await this.#tree[Symbol.asyncDispose]();
    }
  }

  #now(): { readonly emulator: EmulatorProcess; readonly client: Client } {
    if (this.#running === undefined) throw new Error("The emulator has been stopped.");
    return this.#running;
  }
}
