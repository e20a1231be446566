/** A real worker with a real handler process that a test feeds; it leaves no trace. */
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { readModule } from "../../../runtime/handler/module/read-module.ts";
import { InProcessIsolate } from "../../../runtime/in-process/in-process-isolate.ts";
import type { LogLevel } from "../../../runtime/protocol/worker-log.ts";
import { startWorker, type Worker, type WorkerOptions } from "../../../runtime/worker.ts";
import { MemoryJobSource } from "./memory-job-source.ts";
import { PROC } from "../../setup/proc.ts";

const fixtures = path.resolve(import.meta.dirname, "../../fixtures/handlers");

export function fixture(name: string): string {
  return path.join(fixtures, `${name}.ts`);
}

export interface LogEntry {
  readonly level: LogLevel;
  readonly msg: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Makes the worker run a function of this process instead of handler processes. */
export function inThisProcess(handler: unknown): Pick<WorkerOptions, "openIsolate"> {
  const options = {
    handler: readModule({ default: handler }, "the test"),
    graceMs: 100,
    initLimitMs: 10_000,
    volumePath: undefined,
    tempRoot: os.tmpdir(),
    storageEnv: {},
  };
  return { openIsolate: (mask, events) => new InProcessIsolate(options, mask, events) };
}

/** Use with `await using`. */
export class WorkerRun implements AsyncDisposable {
  readonly source = new MemoryJobSource();
  readonly log: LogEntry[] = [];
  readonly worker: Worker;
  readonly #trace = randomUUID();
  #listeners: (() => void)[] = [];

  constructor(handler: string, options: Partial<WorkerOptions> = {}) {
    this.worker = startWorker({
      handler: handler.includes("/") ? handler : fixture(handler),
      openSource: () => this.source,
      log: {
        write: (level, msg, fields = {}) => {
          this.log.push({ level, msg, fields });
          for (const listener of this.#listeners) listener();
        },
      },
      graceMs: 1_000,
      // A test that needs no standby process ends before one is started.
      standbyDelayMs: 60_000,
      ...options,
      env: { SV_TEST_TRACE: this.#trace, ...options.env },
    });
  }

  /** Resolves when this number of entries has the message `msg`. */
  async logged(msg: string, count = 1): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (this.log.filter((entry) => entry.msg === msg).length >= count) resolve();
      };
      this.#listeners.push(look);
      look();
    });
  }

  /** Output of the handler's jobs, by job. */
  printed(jobId: string | undefined): string[] {
    return this.log
      .filter((entry) => "stream" in entry.fields && entry.fields["jobId"] === jobId)
      .map((entry) => entry.msg);
  }

  /** Running processes that this worker started, and their descendants. */
  processes(): number[] {
    return tracedProcesses(this.#trace);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.worker.stop();
    await this.worker.ended;
    const left = this.processes();
    if (left.length > 0) throw new Error(`Processes were left behind: ${left.join(", ")}.`);
  }
}

/** Running processes with this value of SV_TEST_TRACE in their environment. */
export function tracedProcesses(trace: string): number[] {
  const wanted = `SV_TEST_TRACE=${trace}`;
  return fs
    .readdirSync(PROC)
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && environmentOf(pid).includes(wanted));
}

/** Returns the environment of a process; a zombie's is empty. */
function environmentOf(pid: number): string {
  try {
    return fs.readFileSync(`${PROC}/${pid}/environ`, "latin1");
  } catch {
    return "";
  }
}
