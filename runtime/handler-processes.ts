/** Part of the composition root: makes handler processes from a worker's options. */
import path from "node:path";
import type { IsolateOptions } from "./isolate/isolate.ts";
import type { OpenIsolate } from "./isolate/job-isolate.ts";
import type { SecretMask } from "./isolate/secret-mask.ts";
import type { StandbyMode } from "./isolate/standby.ts";
import { VersionedIsolate } from "./isolate/versioned-isolate.ts";
import type { WorkerLog } from "./protocol/worker-log.ts";
import { programFile } from "./pipe/program-file.ts";
import { defined } from "./protocol/without-undefined.ts";
import { LIMITS } from "./protocol/limits.ts";
import { abortLeftUpload } from "./storage/upload/abort-left-upload.ts";

export interface HandlerProcessesOptions {
  readonly log: WorkerLog;
  /** Time between the abort signal and SIGTERM, and between SIGTERM and SIGKILL; ms, default 5,000 (ours). */
  readonly graceMs?: number;
  /** Timeout for importing the handler and its `setup` together; ms, default 7 minutes (ours). */
  readonly initLimitMs?: number;
  /**
   * The standby process that takes over from a handler process that has to end (ours): `none`, an `idle` one without the
   * handler (default), or one with the handler `loaded` and set up. The handler is then in memory twice.
   */
  readonly standby?: StandbyMode;
  /** Delay between the first job (a loaded one: the ready handler) and the start of the standby process; ms, default 1,000. */
  readonly standbyDelayMs?: number;
  /** Returns the free memory in bytes, which decides whether a standby process is started; default: that of this process. */
  readonly availableBytes?: () => number;
  /**
   * `host:port`, or a port of 127.0.0.1, at which the handler process accepts a debugger (ours); default none. While the
   * debugger holds the process, no deadline comes nearer. There is no standby process, because it would need the same port.
   */
  readonly inspect?: string;
  /** Added to the handler process's environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export function handlerProcesses(options: HandlerProcessesOptions): OpenIsolate {
  return (mask, events) => new VersionedIsolate(isolateOptions(options, mask), events);
}

function isolateOptions(options: HandlerProcessesOptions, mask: SecretMask): IsolateOptions {
  const { env, inspect, availableBytes } = options;
  return {
    entryPath: path.join(import.meta.dirname, "handler", programFile("handler-process")),
    graceMs: options.graceMs ?? LIMITS.handlerGraceMs,
    initLimitMs: options.initLimitMs ?? LIMITS.workerInitMs,
    standby: inspect === undefined ? (options.standby ?? "idle") : "none",
    standbyDelayMs: options.standbyDelayMs ?? 1_000,
    mask,
    abortUpload: (upload) => abortLeftUpload(upload, options.log),
    ...defined({ env, inspect, availableBytes }),
  };
}
