/** Runs one emulator from its start to its stop. Each further signal makes the stop more urgent. */
import type { Emulator } from "../../index.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { StopSignals } from "../signals.ts";

export interface ServeOptions {
  readonly start: () => Promise<Emulator>;
  readonly signals: StopSignals;
  /** Called once the service can be called. */
  readonly ready: (emulator: Emulator) => void;
  readonly say: (sentence: string) => void;
  /** Called once the service has stopped, or is no longer waited for. */
  readonly stopped: (emulator: Emulator) => void;
}

/** Resolves with the exit code once everything is stopped. Rejects if the service cannot start or stop. */
export async function serve(options: ServeOptions): Promise<ExitCode> {
  const { start, signals, ready, stopped } = options;
  const atOnce = signals.nth(2).then(() => undefined);
  const emulator = await Promise.race([start(), atOnce]);
  // A service that has not started has no jobs, so nothing is lost.
  if (emulator === undefined) return EXIT.stoppedAtOnce;
  if (signals.count === 0) ready(emulator);
  await signals.nth(1);
  const code = await stop(emulator, options, atOnce);
  stopped(emulator);
  return code;
}

async function stop(
  emulator: Emulator,
  { signals, say }: ServeOptions,
  atOnce: Promise<undefined>,
): Promise<ExitCode> {
  say(
    signals.reason ??
      "stopping: running jobs finish first; Ctrl-C (or SIGTERM) again stops at once",
  );
  const drained = emulator.stop("drain").then(() => EXIT.stopped);
  const code = await Promise.race([drained, atOnce]);
  if (code !== undefined) return code;
  say("stopping at once");
  // A third signal does not wait for workers. They end when their standard input closes.
  await Promise.race([emulator.stop("kill"), signals.nth(3)]);
  return EXIT.stoppedAtOnce;
}
