/** An emulator process with a PostgreSQL database, on changing machines: each start has a new data directory. */
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { inject } from "vitest";
import { freshDatabase } from "../../setup/shared-postgres.ts";
import { temporaryTree, type TemporaryTree } from "../../temporary-tree.ts";
import { eventually } from "../jobs/observe.ts";
import { type EmulatorProcess, startEmulatorProcess } from "../emulator-process.ts";

export const SECRET_KEY = Buffer.alloc(32, 7).toString("base64");

const HANDLERS = {
  "handlers/echo/handler.js": "export const concurrency = 8; export default (job) => job.input;",
  "handlers/counts/handler.js":
    "export default async function* (job) { for (let n = 1; n <= job.input.to; n += 1) yield { n }; }",
  "handlers/waits/handler.js":
    "export default (job, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));",
  "handlers/grows/handler.js":
    "export default async (job) => { await new Promise((go) => setTimeout(go, job.input.afterMs)); return 'x'.repeat(job.input.bytes); };",
  "handlers/fails-once/handler.js":
    "export default (job) => { if (job.attempt === 1 && !job.input.fine) throw new Error('as told'); return 'fine'; };",
};

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** The job as `/status` shows it. */
export interface ShownJob {
  readonly id: string;
  readonly status: string;
  readonly output?: unknown;
}

export class OnDatabase implements AsyncDisposable {
  readonly store: string;
  readonly tree: TemporaryTree;
  /** Arguments of every start. */
  readonly #args: readonly string[];
  #starts = 0;
  #emulator: EmulatorProcess | undefined;

  private constructor(store: string, tree: TemporaryTree, args: readonly string[]) {
    this.store = store;
    this.tree = tree;
    this.#args = args;
  }

  static async set(args: readonly string[] = [], url?: string): Promise<OnDatabase> {
    const store = url ?? (await freshDatabase(inject("sharedPostgres")));
    return new OnDatabase(store, await temporaryTree(HANDLERS), args);
  }

  get emulator(): EmulatorProcess {
    if (this.#emulator === undefined) throw new Error("it was not started");
    return this.#emulator;
  }

  /** @param dataDir default: an empty one */
  async start(dataDir = `data-${(this.#starts += 1)}`): Promise<EmulatorProcess> {
    this.#emulator = await startEmulatorProcess({
      args: ["handlers", "--data-dir", dataDir, "--log", "json", ...this.#args],
      cwd: this.tree.root,
      env: { SV_STORE: this.store, SV_SECRET_KEY: SECRET_KEY, SV_LIMITS: "off" },
    });
    return this.#emulator;
  }

  async kill(): Promise<void> {
    this.emulator.child.kill("SIGKILL");
    await this.emulator.exited;
  }

  async stop(): Promise<void> {
    assert.deepEqual(await this.emulator.stop(), { code: 0, signal: null });
  }

  async ask(pathname: string, body?: unknown): Promise<Answer> {
    const { url, apiKey } = this.emulator;
    const answer = await fetch(`${url}${pathname}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${apiKey}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json() };
  }

  /** The body of an answer with 200. */
  async call<T>(pathname: string, body?: unknown): Promise<T> {
    const answer = await this.ask(pathname, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body as T;
  }

  async run(endpointId: string, input: unknown, more: object = {}): Promise<string> {
    const { id } = await this.call<ShownJob>(`/v2/${endpointId}/run`, { input, ...more });
    return id;
  }

  async job(endpointId: string, id: string): Promise<ShownJob> {
    return this.call<ShownJob>(`/v2/${endpointId}/status/${id}`);
  }

  /** Waits until the job has that status. */
  async until(endpointId: string, id: string, status: string): Promise<ShownJob> {
    const look = async () => {
      const job = await this.job(endpointId, id);
      return job.status === status ? job : undefined;
    };
    return eventually(`job ${id} ${status}`, look);
  }

  /** Whether the data directory has any file of the service's own store. */
  hasOwnStore(): boolean {
    const names = fs.readdirSync(this.tree.root, { recursive: true, encoding: "utf8" });
    return names.some((name) => path.basename(name) === "store.db");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#emulator?.[Symbol.asyncDispose]();
    await this.tree[Symbol.asyncDispose]();
  }
}
