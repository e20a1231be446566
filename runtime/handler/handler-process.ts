/** The handler process: loads the user's handler, runs it on jobs, and tells the supervisor over the framed pipe. */
import fs from "node:fs";
import { Socket } from "node:net";
import { FrameChannel } from "../pipe/frame-channel.ts";
import {
  FRAMES_FD,
  LIFE_LINE_FD,
  ORDER,
  REPORT,
  type FailedHead,
  type LastWords,
  type LoadHead,
  type ReceiptHead,
} from "../pipe/frame-kinds.ts";
import type { Frame } from "../pipe/frames.ts";
import { killOwnTree } from "../pipe/process-tree.ts";
import { currentInvocation } from "./attribution.ts";
import { InitError } from "./init-error.ts";
import { JobInvocation } from "./invocation.ts";
import { importHandler, runSetup } from "./load-handler.ts";
import { Printing } from "./printing.ts";
import type { LoadedHandler } from "./read-module.ts";
import { startWatchdog } from "./start-watchdog.ts";
import { describeThrown } from "./thrown.ts";

/** A spoiled process that cannot get rid of its last frames ends without them. */
const LAST_FRAMES_MS = 500;

const printing = new Printing();
const running = new Map<number, JobInvocation>();
let handler: LoadedHandler | undefined;
let isSpoiled = false;

const channel = new FrameChannel(new Socket({ fd: FRAMES_FD, readable: true, writable: true }), {
  frame: obey,
  // The supervisor is gone, or out of step: nothing this process does can be told to anybody.
  ended: killOwnTree,
});

function obey(frame: Frame): void {
  if (isSpoiled) return;
  switch (frame.kind) {
    case ORDER.load:
      // Written by the supervisor of this very process, as is every other head.
      void load(JSON.parse(frame.head) as LoadHead);
      return;
    case ORDER.run:
      return run(frame);
    case ORDER.abort:
      return running.get(frame.slot)?.abort();
    case ORDER.receipt:
      return running
        .get(frame.slot)
        ?.window.stored((JSON.parse(frame.head) as ReceiptHead).nextIndex);
    default:
      throw new Error(`The supervisor sent a frame of unknown kind ${frame.kind}.`);
  }
}

async function load(head: LoadHead): Promise<void> {
  try {
    const loaded = await importHandler(head);
    // A setup may block for minutes, and nobody may be left behind if the supervisor dies meanwhile.
    if (loaded.setup !== undefined) startWatchdog();
    await runSetup(loaded, head.sourcePath);
    handler = loaded;
    channel.send(REPORT.ready, 0, { concurrency: loaded.concurrency });
    channel.flush();
    if (loaded.setup === undefined) startWatchdog();
  } catch (thrown) {
    const { message, stack } = describeThrown(thrown);
    const shown = thrown instanceof InitError && thrown.stack === "" ? {} : { stack };
    channel.send(REPORT.initFailed, 0, { message, ...shown });
    channel.flushed(() => process.exit(1));
  }
}

function run(frame: Frame): void {
  if (handler === undefined)
    throw new Error("The supervisor sent a job before the handler was ready.");
  const loaded = handler;
  const invocation = openInvocation(frame);
  if (invocation === undefined) return;
  running.set(frame.slot, invocation);
  const done = currentInvocation.run(invocation, () => invocation.run(loaded));
  void done.finally(() => running.delete(frame.slot));
}

function openInvocation(frame: Frame): JobInvocation | undefined {
  try {
    return new JobInvocation(frame, channel, printing);
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

/** After an error that nobody caught, the state of this process is anybody's guess: it takes no further job. */
function spoil(thrown: unknown): void {
  if (isSpoiled) return;
  isSpoiled = true;
  const failure: FailedHead = { type: "unhandled_error", ...describeThrown(thrown) };
  channel.send(REPORT.spoiled, currentInvocation.getStore()?.slot ?? 0, failure);
  channel.flushed(() => process.exit(1));
  setTimeout(() => process.exit(1), LAST_FRAMES_MS);
}

// As in any Node program, a handler that listens itself has decided to live with what it hears.
for (const event of ["uncaughtException", "unhandledRejection"] as const) {
  process.on(event, (thrown: unknown) => {
    if (process.listenerCount(event) === 1) spoil(thrown);
  });
}

process.on("exit", (code) => {
  if (isSpoiled) return;
  const words: LastWords = { code, slot: currentInvocation.getStore()?.slot ?? 0 };
  channel.flush();
  try {
    // On a pipe of its own, and at once: there is no later turn of the event loop.
    fs.writeSync(LIFE_LINE_FD, `${JSON.stringify(words)}\n`);
  } catch {
    // The supervisor is gone.
  }
});
