/** `sv-emulate ready`: asks whether the emulator can be called, or waits until it can. */
import { setTimeout as delay } from "node:timers/promises";
import { parseDuration } from "../../core/time/duration.ts";
import { UsageError } from "../usage-error.ts";
import { type CommandCall, show } from "./command-call.ts";

/** Interval between two questions. */
const INTERVAL_MS = 250;

/** @throws UnreachableError, RefusedError when it is not ready by the end of the time; UsageError */
export async function ready(call: CommandCall): Promise<void> {
  const { client, flags, terminal } = call;
  const { signal } = terminal;
  const waitMs = parseDuration(flags.wait ?? "0s");
  if (waitMs === undefined) {
    const got = JSON.stringify(flags.wait);
    throw new UsageError(`--wait must be a duration like 30s or 2m; got ${got}`);
  }
  const until = performance.now() + waitMs;
  for (;;) {
    try {
      const answer = await client.probe("isReady");
      return show(call, answer, () => "ready\n");
    } catch (error) {
      signal.throwIfAborted();
      if (performance.now() + INTERVAL_MS > until) throw error;
      await delay(INTERVAL_MS, undefined, { signal });
    }
  }
}
