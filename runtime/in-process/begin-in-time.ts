/** Runs a handler's setup within a time limit, in a process that cannot be ended. */
import { beginLife, type HandlerLife } from "../handler/handler-life.ts";
import { InitError } from "../handler/init-error.ts";
import type { LoadedHandler } from "../handler/module/read-module.ts";
import { SetupRun } from "../handler/setup-run.ts";
import type { JobLog } from "../handler/contract.ts";

export interface SetupTerms {
  readonly handler: LoadedHandler;
  readonly log: JobLog;
  readonly volumePath: string | undefined;
  /** Timeout of `setup`, ms. */
  readonly initLimitMs: number;
}

/**
 * Aborts the signal of a setup that exceeds its limit, and does not wait for the setup. Disposes of its later result.
 *
 * @param signal aborts when the setup is no longer wanted
 * @throws InitError if setup throws or takes too long
 */
export async function beginInTime(
  { handler, log, volumePath, initLimitMs }: SetupTerms,
  signal: AbortSignal,
): Promise<HandlerLife> {
  const run = new SetupRun(log, volumePath, () => {});
  const late = Promise.withResolvers<never>();
  const limit = setTimeout(() => {
    run.abort();
    late.reject(new InitError(`setup took longer than its limit of ${initLimitMs} ms.`));
  }, initLimitMs);
  const unwanted = (): void => run.abort();
  signal.addEventListener("abort", unwanted);
  const setup = beginLife(handler, run, "setup");
  try {
    const life = await Promise.race([setup, late.promise]);
    await life.concurrency.ask(() => {});
    return life;
  } catch (error) {
    void setup.then((life) => life.dispose()).catch(() => {});
    throw error;
  } finally {
    clearTimeout(limit);
    signal.removeEventListener("abort", unwanted);
  }
}
