/** The subcommands for a running emulator at this process's terminal. */
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { StopSignals } from "../signals.ts";
import type { Operation } from "./operate-flags.ts";
import { runOperation } from "./run-operation.ts";
import type { Terminal } from "./terminal.ts";

/** Ctrl-C breaks off what is under way; what has been asked of the emulator, it does. */
export async function operate(operation: Operation, signals: StopSignals): Promise<ExitCode> {
  const stopped = new AbortController();
  void signals.nth(1).then(() => stopped.abort());
  const unread = new AbortController();
  process.stdout.once("error", () => unread.abort());
  const terminal: Terminal = {
    out: (text) => void process.stdout.write(text),
    colors: process.stdout.isTTY && (process.env["NO_COLOR"] ?? "") === "",
    confirm: process.stdin.isTTY && process.stdout.isTTY ? confirm : undefined,
    signal: AbortSignal.any([stopped.signal, unread.signal]),
  };
  try {
    await runOperation(operation, process.env, terminal);
    return EXIT.stopped;
  } catch (error) {
    if (unread.signal.aborted) return EXIT.stopped;
    if (!stopped.signal.aborted) throw error;
    // It goes on until it is told to stop.
    return operation.flags.follow === true ? EXIT.stopped : EXIT.stoppedAtOnce;
  }
}

async function confirm(message: string): Promise<boolean> {
  const prompts = await import("@clack/prompts");
  return (await prompts.confirm({ message, initialValue: false })) === true;
}
