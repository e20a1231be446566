/** An emulator with a config, a client and a mark that finds everything it started. */
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { createClient, type Client, type EndpointClient } from "../../../runtime/client/index.ts";
import { temporaryTree, type TemporaryTree } from "../../temporary-tree.ts";
import { startEmulatorProcess, type EmulatorProcess } from "../emulator-process.ts";
import { processesMarked } from "./observe.ts";

const fixtures = path.resolve(import.meta.dirname, "../../fixtures/handlers");

export interface StageOptions {
  /** Settings by endpoint id, with the name of a fixture as `handler`. */
  readonly endpoints: Readonly<
    Record<string, { readonly handler: string; [key: string]: unknown }>
  >;
  /** Default: a directory that goes with the stage. */
  readonly dataDir?: string;
  /** The GPUs of the config; by default it names none. */
  readonly gpus?: unknown;
  /** Additional variables of the emulator. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Disposing of it stops the emulator; no process that it started may be left. */
export class Stage implements AsyncDisposable {
  readonly #directory: string;
  readonly #dataDir: string;
  readonly #removal: AsyncDisposable;
  readonly #env: Readonly<Record<string, string>>;
  readonly #mark = `SET_ON_STAGE=${crypto.randomUUID()}`;
  #running: { readonly emulator: EmulatorProcess; readonly client: Client } | undefined;

  private constructor(tree: TemporaryTree, dataDir: string, env: StageOptions["env"] = {}) {
    this.#directory = tree.root;
    this.#dataDir = path.resolve(tree.root, dataDir);
    this.#removal = tree;
    this.#env = env;
  }

  static async set({ endpoints, dataDir = "data", gpus, env }: StageOptions): Promise<Stage> {
    const written = Object.entries(endpoints).map(([id, { handler, ...settings }]) => [
      id,
      { handler: path.join(fixtures, handler), ...settings },
    ]);
    const config = { endpoints: Object.fromEntries(written), dataDir, gpus };
    const tree = await temporaryTree({ "sv.config.json": JSON.stringify(config) });
    const stage = new Stage(tree, dataDir, env);
    await stage.start();
    return stage;
  }

  /** Starts the emulator on the present data directory. */
  async start(): Promise<void> {
    const [name = "", value = ""] = this.#mark.split("=");
    const emulator = await startEmulatorProcess({
      args: ["sv.config.json"],
      cwd: this.#directory,
      // A quick machine sends more than 2,000 requests in 10 s, and would reach the rate limit.
      env: { SV_LIMITS: "off", ...this.#env, [name]: value },
    });
    const client = createClient({ baseUrl: emulator.url, apiKey: emulator.apiKey });
    this.#running = { emulator, client };
  }

  get emulator(): EmulatorProcess {
    return this.#now().emulator;
  }

  endpoint<Output = unknown>(id: string): EndpointClient<unknown, Output> {
    return this.#now().client.endpoint<unknown, Output>(id);
  }

  /** Keys for all of its object store. */
  storeKeys(): { readonly accessKeyId: string; readonly secretAccessKey: string } {
    const file = path.join(this.#dataDir, "objects/credentials");
    const kept = fs.readFileSync(file, "utf8");
    const [, accessKeyId = ""] = /aws_access_key_id = (\S+)/u.exec(kept) ?? [];
    const [, secretAccessKey = ""] = /aws_secret_access_key = (\S+)/u.exec(kept) ?? [];
    return { accessKeyId, secretAccessKey };
  }

  /** Deletes an endpoint, which ends its workers. */
  async remove(endpointId: string): Promise<void> {
    const { url, apiKey } = this.emulator;
    const { status } = await fetch(`${url}/v1/endpoints/${endpointId}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${apiKey}` },
    });
    assert.equal(status, 204);
  }

  /** SIGTERM, which lets running jobs finish; nothing may be left when the emulator has ended. */
  async stop(): Promise<void> {
    const { emulator, client } = this.#now();
    this.#running = undefined;
    await client.close();
    const exit = await emulator.stop();
    const left = processesMarked(this.#mark);
    for (const { pid } of left) process.kill(pid, "SIGKILL");
    assert.deepEqual({ ...exit, left }, { code: 0, signal: null, left: [] });
  }

  /** SIGKILL: the emulator cleans nothing up. */
  async kill(): Promise<void> {
    const { emulator, client } = this.#now();
    this.#running = undefined;
    await client.close();
    await emulator[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      if (this.#running !== undefined) await this.stop();
    } finally {
      await this.#removal[Symbol.asyncDispose]();
    }
  }

  #now(): { readonly emulator: EmulatorProcess; readonly client: Client } {
    if (this.#running === undefined) throw new Error("The emulator has been stopped.");
    return this.#running;
  }
}
