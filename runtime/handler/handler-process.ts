/** The handler process: loads the user's handler, runs it on jobs, and reports to the supervisor over the framed pipe. */
import fs from "node:fs";
import { Socket } from "node:net";
import path from "node:path";
import { FrameChannel } from "../pipe/frame-channel.ts";
import {
  FRAMES_FD,
  LIFELINE_FD,
  ORDER,
  REPORT,
  type FailedHead,
  type LifelineNotice,
  type LoadOrderHead,
  type ReadyHead,
  type ReceiptHead,
} from "../pipe/frame-kinds.ts";
import type { Frame } from "../pipe/frames.ts";
import { machineClock, pausableMachineClock } from "../pipe/machine-clock.ts";
import { killOwnTree } from "../pipe/process-tree.ts";
import { logLine } from "../pipe/tagged-lines.ts";
import { LIMITS } from "../protocol/limits.ts";
import { NODE_OPTIONS, sharedPort } from "../protocol/environment/node-options.ts";
import { variable, WORKER_ENV } from "../protocol/environment/worker-env.ts";
import { currentInvocation } from "./job/attribution.ts";
import { openInvocation, type ProcessTerms } from "./job/frame-port.ts";
import { beginLife, type HandlerLife } from "./handler-life.ts";
import { InitError } from "./init-error.ts";
import type { JobInvocation } from "./job/invocation.ts";
import { openLog } from "./job/job-context.ts";
import { schemasOf } from "./module/json-schemas.ts";
import { importHandler } from "./module/load-handler.ts";
import { Printing } from "./printing.ts";
import { SetupRun } from "./setup-run.ts";
import { describeThrown } from "./thrown.ts";

/** Timeout for the last frames of a process after an uncaught error. Then the process ends without sending them. */
const LAST_FRAMES_MS = 500;
/** Delay before schemas are sent. No caller waits for them, and the first job may come at once. */
const SCHEMAS_DELAY_MS = 50;

const printing = new Printing();
const log = openLog({
  log: (level, message, fields) => {
    const entry = { level, message, ...(fields === undefined ? {} : { fields }) };
    printing.line(logLine(undefined, entry, LIMITS.logLineMaxBytes));
  },
});
const setupRun = new SetupRun(log, undefined, () => {
  channel.send(REPORT.setupListens, 0, undefined);
  channel.flush();
});
const clock = pausableMachineClock();
const running = new Map<number, JobInvocation>();
let ready: Ready | undefined;
/** No code of the handler runs before. */
let isLoading = false;
let isRefreshing = false;
let isLeaving = false;
let isSpoiled = false;

/** A handler whose setup is done. */
interface Ready {
  readonly life: HandlerLife;
  readonly terms: ProcessTerms;
}

const channel = new FrameChannel(new Socket({ fd: FRAMES_FD, readable: true, writable: true }), {
  frame: handleFrame,
  // The supervisor is gone, or the frames are out of step. Nothing can be reported any more.
  ended: killOwnTree,
});

function handleFrame(frame: Frame): void {
  if (isSpoiled) return;
  switch (frame.kind) {
    case ORDER.load:
      // This process's own supervisor writes all heads, so they are valid.
      void load(JSON.parse(frame.head) as LoadOrderHead);
      return;
    case ORDER.run:
      return run(frame);
    case ORDER.abort:
      return running.get(frame.slot)?.abort();
    case ORDER.receipt:
      return running
        .get(frame.slot)
        ?.window.stored((JSON.parse(frame.head) as ReceiptHead).nextIndex);
    case ORDER.leave:
      return leave();
    default:
      throw new Error(`The supervisor sent a frame of unknown kind ${frame.kind}.`);
  }
}

async function load(head: LoadOrderHead): Promise<void> {
  isLoading = true;
  Object.assign(process.env, head.env);
  setupRun.volumePath = variable(process.env, WORKER_ENV.volumePath);
  try {
    if (process.execArgv.some((flag) => flag.startsWith("--inspect"))) heedDebugger();
    const handler = await importHandler(head);
    const life = await beginLife(handler, setupRun, `setup of ${path.basename(head.sourcePath)}`);
    await life.concurrency.ask(() => {});
    ready = {
      life,
      terms: {
        channel,
        printing,
        tempRoot: head.tempRoot,
        volumePath: setupRun.volumePath,
        state: life.state,
        refresh,
        now: () => clock.now(),
      },
    };
    if (isLeaving) return void dispose(life);
    const disposes = handler.dispose === undefined ? {} : { disposes: true };
    const told: ReadyHead = { concurrency: life.concurrency.current, ...disposes };
    channel.send(REPORT.ready, 0, told);
    channel.flush();
    setTimeout(
      () => channel.send(REPORT.schemas, 0, undefined, schemasOf(handler)),
      SCHEMAS_DELAY_MS,
    ).unref();
  } catch (thrown) {
    const { message, stack } = describeThrown(thrown);
    const shown = thrown instanceof InitError && thrown.stack === "" ? {} : { stack };
    channel.send(REPORT.initFailed, 0, { message, ...shown });
    channel.flushed(() => process.exit(1));
  }
}

/**
 * Stops the clock of deadlines, here and in the supervisor, while a debugger pauses this process.
 *
 * An inspector session of this thread reports a pause just before the thread stops, and the end of the pause as soon as it
 * continues. Such a session does not count as a debugger. A session of another thread, or over the inspector's port, would
 * count: a `debugger` statement would then pause a process that no debugger can resume.
 */
function heedDebugger(): void {
  const { Session } = process.getBuiltinModule("node:inspector");
  const session = new Session();
  session.connect();
  const changed = (isPaused: boolean): void => {
    const at = machineClock();
    if (isPaused) clock.pause(at);
    else clock.resume(at);
    reportAtOnce({ isPaused, at });
  };
  session.on("Debugger.paused", () => changed(true));
  session.on("Debugger.resumed", () => changed(false));
  session.post("Debugger.enable");
}

/** Reports to the supervisor synchronously, because the event loop of this process may never run again. */
function reportAtOnce(notice: LifelineNotice): void {
  const line = `${JSON.stringify(notice)}\n`;
  for (;;) {
    try {
      fs.writeSync(LIFELINE_FD, line);
      return;
    } catch (error) {
      // Any other error means that the supervisor is gone.
      if (!isFull(error)) return;
    }
  }
}

function isFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EAGAIN";
}

function run(frame: Frame): void {
  if (ready === undefined)
    throw new Error("The supervisor sent a job before the handler was ready.");
  if (isRefreshing) return channel.send(REPORT.declined, frame.slot, undefined);
  const { life, terms } = ready;
  const opened = open(frame, terms);
  if (opened === undefined) return;
  const { invocation, port } = opened;
  running.set(frame.slot, invocation);
  const done = currentInvocation.run(port, async () => {
    port.ended(await invocation.run(life.handler));
  });
  void done.finally(() => ended(frame.slot));
}

function ended(slot: number): void {
  running.delete(slot);
  void ready?.life.concurrency.ask((concurrency) => {
    const told: ReadyHead = { concurrency };
    channel.send(REPORT.concurrency, 0, told);
  });
}

function open(frame: Frame, terms: ProcessTerms): ReturnType<typeof openInvocation> | undefined {
  try {
    return openInvocation(frame, terms);
  } catch (error) {
    const { message } = describeThrown(error);
    const failure: FailedHead = {
      type: "handler_error",
      message: `The job's input is no JSON: ${message}`,
    };
    channel.send(REPORT.failed, frame.slot, failure);
    return undefined;
  }
}

function refresh(): void {
  if (isRefreshing) return;
  isRefreshing = true;
  channel.send(REPORT.refresh, 0, undefined);
}

function leave(): void {
  isLeaving = true;
  if (ready === undefined) setupRun.abort();
  else void dispose(ready.life);
}

/** If the handler's dispose does not end, the supervisor ends the process. */
async function dispose(life: HandlerLife): Promise<void> {
  await life.dispose();
  channel.flushed(() => process.exit(0));
}

/** After an uncaught error the state of this process is unknown: it takes no further job. */
function spoil(thrown: unknown): void {
  if (isSpoiled) return;
  isSpoiled = true;
  const failure: FailedHead = { type: "unhandled_error", ...describeThrown(thrown) };
  // Sends the chunks from before the error ahead of its report.
  channel.flush();
  channel.send(REPORT.spoiled, currentInvocation.getStore()?.slot ?? 0, failure);
  channel.flushed(() => process.exit(1));
  setTimeout(() => process.exit(1), LAST_FRAMES_MS);
}

// As in any Node program, a handler with its own listener handles these errors itself.
for (const event of ["uncaughtException", "unhandledRejection"] as const) {
  process.on(event, (thrown: unknown) => {
    const { [NODE_OPTIONS]: options = "" } = process.env;
    const sentence = isLoading ? undefined : sharedPort(thrown, options);
    if (sentence !== undefined) log.warn(sentence);
    else if (process.listenerCount(event) === 1) spoil(thrown);
  });
}

process.on("exit", (code) => {
  if (isSpoiled) return;
  channel.flush();
  reportAtOnce({ code, slot: currentInvocation.getStore()?.slot ?? 0 });
});
