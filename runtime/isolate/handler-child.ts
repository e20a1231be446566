/** The supervisor's view of one handler process, from its start to its end. */
import { spawn, type ChildProcess } from "node:child_process";
import type { Duplex, Stream } from "node:stream";
import { FrameChannel } from "../pipe/frame-channel.ts";
import {
  FRAMES_FD,
  LIFELINE_FD,
  type ExitNotice,
  type LifelineNotice,
  type PauseNotice,
} from "../pipe/frame-kinds.ts";
import type { Frame } from "../pipe/frames.ts";
import {
  HANDLER_NODE_OPTIONS,
  NODE_OPTIONS,
  withoutDebugger,
} from "../protocol/environment/node-options.ts";
import { WORKER_ENV } from "../protocol/environment/worker-env.ts";
import { killDescendants } from "./ending/ladder.ts";
import { MARKER_NAME } from "../pipe/process-tree.ts";
import { watchProcess } from "../pipe/watchdog.ts";
import { system } from "../system/system.ts";
import type { ProcessEnd } from "./ending/attribute-exit.ts";
import type { SecretMask } from "./secret-mask.ts";
import { HandlerOutput, type OutputLine } from "./handler-output.ts";
import { LineReader } from "./line-reader.ts";

/** Time to wait for pipes to close after the process exits. Another process may still hold them open. */
const PIPES_MS = 1_000;
const NOTICE_MAX_BYTES = 1_000;

export interface HandlerProcessOptions {
  /** The program that runs in the process. */
  readonly entryPath: string;
  /** `host:port` at which the process accepts a debugger. Default: no debugger. */
  readonly inspect?: string;
  /** Variables added to the supervisor's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Removes secrets from the process's output and reports. */
  readonly mask: SecretMask;
}

export interface HandlerProcessEvents {
  frame(frame: Frame): void;
  line(line: OutputLine): void;
  /** A debugger has paused or resumed the process. */
  paused(notice: PauseNotice): void;
  /** The pipe is closed or out of step. The process cannot be used any more. */
  broken(): void;
  /** The process and its descendants have ended, and all their output was read. */
  gone(end: ProcessEnd): void;
}

/** The process starts on construction. */
export class HandlerProcess {
  readonly output: HandlerOutput;
  readonly #child: ChildProcess;
  readonly #channel: FrameChannel | undefined;
  /** Marker of the process and its descendants, unique on this machine. */
  readonly marker = `${process.pid}-${process.hrtime.bigint()}`;
  readonly #oomKills = system().countOomKills();
  #unwatch: (() => void) | undefined;
  #exitNotice: ExitNotice | undefined;
  #isGone = false;

  constructor(options: HandlerProcessOptions, events: HandlerProcessEvents) {
    this.output = new HandlerOutput((line) => events.line(line), options.mask);
    const flags = options.inspect === undefined ? [] : [`--inspect=${options.inspect}`];
    const args = ["--enable-source-maps", ...flags, options.entryPath];
    const child = spawn(process.execPath, args, {
      // The process gets a new session: its group can be killed as a whole, and Ctrl-C of a terminal does not reach it.
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
      env: environment(options.env, this.marker),
    });
    this.#child = child;
    // The pipes of `stdio` above exist unless the spawn failed; without descriptors there is no list of them either.
    const pipes = (child.stdio as ChildProcess["stdio"] | undefined) ?? [];
    const { 1: stdout, 2: stderr, [FRAMES_FD]: frames, [LIFELINE_FD]: lifeline } = pipes;
    if (stdout) this.output.read(stdout, "stdout");
    if (stderr) this.output.read(stderr, "stderr");
    if (frames) {
      this.#channel = new FrameChannel(frames as Duplex, {
        frame: (frame) => events.frame(frame),
        ended: () => events.broken(),
      });
    }
    if (lifeline) this.#readLifeline(lifeline as Duplex, events);
    if (child.pid !== undefined)
      this.#unwatch = watchProcess(options.entryPath, child.pid, this.marker);
    child.on("error", (error) => {
      if (child.pid === undefined) this.#end(events, { startError: error.message });
    });
    child.on("exit", (code, signal) => void this.#exited(code, signal, events));
  }

  /** Undefined after the end of the process, because another process may have the number by then. */
  get pid(): number | undefined {
    return this.#isGone ? undefined : this.#child.pid;
  }

  /** True as soon as the exit is known. Some output may still be unread. */
  get hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  send(kind: number, slot: number, head?: object, payload?: Uint8Array): void {
    this.#channel?.send(kind, slot, head, payload);
  }

  #readLifeline(lifeline: Duplex, events: HandlerProcessEvents): void {
    const reader = new LineReader(NOTICE_MAX_BYTES, (line) => {
      // Our own program writes these lines, so they are valid.
      const notice = JSON.parse(line) as LifelineNotice;
      if ("isPaused" in notice) events.paused(notice);
      else this.#exitNotice = notice;
    });
    lifeline.on("data", (piece: Buffer) => reader.push(piece));
    lifeline.on("error", () => {});
  }

  async #exited(
    code: number | null,
    signal: NodeJS.Signals | null,
    events: HandlerProcessEvents,
  ): Promise<void> {
    const { pid } = this.#child;
    const noneLeft = pid === undefined ? undefined : killDescendants(pid, this.marker);
    await Promise.all([this.#pipesClosed(), noneLeft]);
    const exitedBy = this.#exitNotice?.slot;
    this.#end(events, {
      ...(code === null ? {} : { exitCode: code }),
      ...(signal === null ? {} : { signal }),
      ...(exitedBy === undefined || exitedBy === 0 ? {} : { exitedBy }),
      ...(this.#ranOutOfMemory(signal) ? { outOfMemory: true } : {}),
      ...(code !== null && this.#exitNotice === undefined ? { isEarly: true } : {}),
    });
  }

  #end(events: HandlerProcessEvents, end: ProcessEnd): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#unwatch?.();
    events.gone(end);
  }

  /** Waits for the pipes, which may still hold output from before the exit. */
  async #pipesClosed(): Promise<void> {
    const pipes = this.#child.stdio.flatMap((pipe) => (pipe && !pipe.closed ? [pipe] : []));
    const limit = setTimeout(() => {
      for (const pipe of pipes) pipe.destroy();
    }, PIPES_MS);
    await Promise.all(pipes.map(closed));
    clearTimeout(limit);
  }

  #ranOutOfMemory(signal: NodeJS.Signals | null): boolean {
    if (this.output.sawHeapLimit) return true;
    if (signal !== "SIGKILL" || this.#oomKills === undefined) return false;
    return (system().countOomKills() ?? 0) > this.#oomKills;
  }
}

/** Resolves when the pipe closes. A broken pipe closes too: a write to an ended process is not a failure. */
function closed(pipe: Stream): Promise<void> {
  return new Promise((resolve) => {
    pipe.once("close", resolve);
  });
}

/** The `NODE_OPTIONS` of a handler process; empty without any. */
export function handlerNodeOptions(): string {
  const { [NODE_OPTIONS]: own = "", [HANDLER_NODE_OPTIONS]: forHandlers = own } = process.env;
  return withoutDebugger(forHandlers);
}

/** The handler gets the worker's environment, except the worker's token. */
function environment(added: HandlerProcessOptions["env"], marker: string): NodeJS.ProcessEnv {
  const { [WORKER_ENV.workerToken]: _, [HANDLER_NODE_OPTIONS]: __, ...inherited } = process.env;
  const options = handlerNodeOptions();
  return {
    ...inherited,
    ...(options !== (inherited[NODE_OPTIONS] ?? "") && { [NODE_OPTIONS]: options }),
    ...added,
    [MARKER_NAME]: marker,
  };
}
