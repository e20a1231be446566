/** `sv-emulate ready`: asks whether the emulator can do what it is asked for, or waits until it can. */
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { parseDuration } from "../../core/time/duration.ts";
import { UsageError } from "../usage-error.ts";
import { type OperationCall, show } from "./operation-call.ts";

const AGAIN_MS = 250;

const readySchema = z.looseObject({ ready: z.literal(true) });

/** @throws UnreachableError, RefusedError when it is not by the end of the time; UsageError */
export async function askReady(call: OperationCall): Promise<void> {
  const { client, flags, terminal } = call;
  const until = performance.now() + waitOf(flags.wait);
  for (;;) {
    try {
      const ready = await client.probe("/readyz", readySchema);
      return show(call, ready, () => "ready\n");
    } catch (error) {
      terminal.signal.throwIfAborted();
      if (performance.now() + AGAIN_MS > until) throw error;
      await delay(AGAIN_MS, undefined, { signal: terminal.signal });
    }
  }
}

/** In ms. */
function waitOf(wait: string | undefined): number {
  const ms = wait === undefined ? 0 : parseDuration(wait);
  if (ms !== undefined) return ms;
  throw new UsageError(`--wait must be a duration like 30s or 2m; got ${JSON.stringify(wait)}`);
}
