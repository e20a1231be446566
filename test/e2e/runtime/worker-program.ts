/** Starts the built `sv-worker` against a gRPC service that a test scripts. */
import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import path from "node:path";
import type { HandedJob } from "../../../runtime/protocol/outcome.ts";
import {
  startFrameService,
  TOKEN,
  type FrameService,
} from "../../contract/job-source/wire-service.ts";
import type { ScriptedSession } from "../../contract/job-source/scripted-service.ts";
import { tracedProcesses } from "../../unit/runtime/worker-run.ts";
import { endingWithParent } from "../../setup/ends-with-parent.ts";

const root = path.resolve(import.meta.dirname, "../../..");
export const program = path.join(root, "dist/runtime/sv-worker.cjs");

/** Use with `await using`. */
export class WorkerProgram implements AsyncDisposable {
  readonly service: FrameService;
  readonly child: ChildProcess;
  readonly #trace: string;
  #stderr = "";
  #count = 0;

  private constructor(service: FrameService, child: ChildProcess, trace: string) {
    this.service = service;
    this.child = child;
    this.#trace = trace;
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
    });
  }

  static async start(fixture: string, env: Record<string, string> = {}): Promise<WorkerProgram> {
    const service = await startFrameService();
    const trace = randomUUID();
    const [command, ...args] = endingWithParent("SIGTERM", [process.execPath, program]);
    const child = spawn(command, args, {
      stdio: ["pipe", "ignore", "pipe"],
      env: {
        ...process.env,
        SV_SERVICE_ADDRESS: service.address,
        SV_WORKER_TOKEN: TOKEN,
        SV_HANDLER: path.join(root, "test/fixtures/handlers", `${fixture}.ts`),
        SV_TEST_TRACE: trace,
        ...env,
      },
    });
    return new WorkerProgram(service, child, trace);
  }

  /** The worker's session after its welcome, and ready unless its handler fails. */
  async session(leaseRenewalMs = 5_000): Promise<ScriptedSession> {
    const session = await this.service.nextSession();
    const ids = { workerId: "w", endpointId: "e" };
    session.send({ welcome: { ...ids, leaseMs: 15_000, leaseRenewalMs } });
    return session;
  }

  newJob(input: unknown = {}, executionTimeoutMs = 60_000): HandedJob {
    this.#count++;
    const id = { jobId: `job-${this.#count}`, leaseToken: `token-${this.#count}` };
    return { ...id, attempt: 1, input: Buffer.from(JSON.stringify(input)), executionTimeoutMs };
  }

  /** Exit code and signal, once the program has ended. */
  async exit(): Promise<readonly [number | null, string | null]> {
    if (this.child.exitCode === null && this.child.signalCode === null)
      await once(this.child, "close");
    return [this.child.exitCode, this.child.signalCode];
  }

  /** The worker's own log, entry by entry. */
  log(): Record<string, unknown>[] {
    const lines = this.#stderr.split("\n").filter((line) => line !== "");
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Resolves when no process of the program runs any more. */
  async gone(): Promise<void> {
    while (tracedProcesses(this.#trace).length > 0) {
      await new Promise((look) => setImmediate(look));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGKILL");
    await this.exit();
    await this.gone();
    await this.service[Symbol.asyncDispose]();
  }
}
