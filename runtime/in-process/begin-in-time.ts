/** Runs a handler's setup within a time limit, without a process that could be ended. */
import { beginLife, type HandlerLife } from "../handler/handler-life.ts";
import { InitError } from "../handler/init-error.ts";
import type { LoadedHandler } from "../handler/module/read-module.ts";
import { SetupRun } from "../handler/setup-run.ts";
import type { JobLog } from "../handler/contract.ts";

export interface SetupTerms {
  readonly handler: LoadedHandler;
  readonly log: JobLog;
  readonly volumePath: string | undefined;
  /** How long `setup` may take, ms. */
  readonly initLimitMs: number;
}

/**
 * The signal of a setup that takes longer than its limit is aborted, and the setup is not waited for; a later result of it is
 * disposed of.
 *
 * @param signal says that the setup is no longer wanted
 * @throws InitError when setup throws, or takes too long
 */
export async function beginInTime(
  { handler, log, volumePath, initLimitMs }: SetupTerms,
  signal: AbortSignal,
): Promise<HandlerLife> {
  const run = new SetupRun(log, volumePath, () => {});
  const late = Promise.withResolvers<never>();
  const limit = setTimeout(() => {
    run.abort();
    late.reject(new InitError(`setup took longer than the ${initLimitMs} ms it may take.`));
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
