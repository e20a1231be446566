/** An emulator with workers that are processes of a Python stand-in for a live worker. */
import path from "node:path";
import { type Client, createClient, type EndpointClient } from "../../../runtime/client/index.ts";
import { temporaryTree, type TemporaryTree } from "../../temporary-tree.ts";
import { type EmulatorProcess, startEmulatorProcess } from "../emulator-process.ts";
import { eventually, type ObservedProcess, processesMarked } from "../jobs/observe.ts";

const program = path.resolve(import.meta.dirname, "../../fixtures/live-worker/handler.py");

/** The input of the stand-in's jobs. */
export interface LiveJob {
  readonly do: "echo" | "fail" | "look" | "stream" | "wait";
  readonly seconds?: number;
  readonly message?: string;
  readonly count?: number;
}

/** An emulator with the endpoints `one`, with one job at a time, and `four`; each has at most one worker. */
export class CommandStage implements AsyncDisposable {
  readonly #tree: TemporaryTree;
  #emulator: EmulatorProcess | undefined;
  #client: Client | undefined;

  private constructor(tree: TemporaryTree) {
    this.#tree = tree;
  }

  static async set(): Promise<CommandStage> {
    const command = ["python3", program];
    const endpoints = {
      one: { command, env: { OWN: "yes" }, workersMax: 1 },
      four: {
        command: [...command, "--concurrency", "4"],
        cwd: "jobs",
        workingDirectory: "shared",
        workersMax: 1,
      },
    };
    const files = { "sv.config.json": JSON.stringify({ endpoints }), "jobs/": "" };
    const stage = new CommandStage(await temporaryTree(files));
    await stage.start();
    return stage;
  }

  /** Starts the emulator on the present data directory. */
  async start(): Promise<void> {
    this.#emulator = await startEmulatorProcess({ cwd: this.#tree.root });
    const { url, apiKey } = this.#emulator;
    this.#client = createClient({ baseUrl: url, apiKey });
  }

  get emulator(): EmulatorProcess {
    if (this.#emulator === undefined) throw new Error("it was not started");
    return this.#emulator;
  }

  endpoint<Output = unknown>(id: "one" | "four"): EndpointClient<LiveJob, Output> {
    if (this.#client === undefined) throw new Error("it was not started");
    return this.#client.endpoint<LiveJob, Output>(id);
  }

  path(...parts: readonly string[]): string {
    return this.#tree.path(...parts);
  }

  /** Resolves with the id of the worker that has begun the job. */
  async begun(jobId: string): Promise<string> {
    const line = new RegExp(`started ${jobId}.*"workerId":"([^"]+)"`, "u");
    const [, workerId = ""] = await this.emulator.stderrMatch(line);
    return workerId;
  }

  /** All processes of a worker, the first one first. */
  processes(workerId: string): readonly ObservedProcess[] {
    const all = processesMarked(`SV_WORKER_ID=${workerId}`);
    return all.toSorted((a, b) => a.startedAt - b.startedAt || a.pid - b.pid);
  }

  async gone(workerId: string): Promise<void> {
    await eventually(`no process of ${workerId} is left`, () =>
      this.processes(workerId).length === 0 ? true : undefined,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.emulator[Symbol.asyncDispose]();
    await this.#tree[Symbol.asyncDispose]();
  }
}
