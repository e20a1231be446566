/** A handler in this very process from its setup to its dispose: it can be set up again, as in a fresh process. */
import { AskedConcurrency } from "../handler/asked-concurrency.ts";
import { InitError } from "../handler/init-error.ts";
import type { JobLog } from "../handler/contract.ts";
import type { LoadedHandler } from "../handler/read-module.ts";
import { SetupRun } from "../handler/setup-run.ts";
import { describeThrown } from "../handler/thrown.ts";

export interface HandlerLifeOptions {
  readonly handler: LoadedHandler;
  readonly log: JobLog;
  readonly volumePath: string | undefined;
  /** How long `setup` may take, ms. */
  readonly initLimitMs: number;
}

/** A handler whose setup is done. */
export class HandlerLife {
  readonly handler: LoadedHandler;
  readonly state: unknown;
  readonly concurrency: AskedConcurrency;
  readonly #log: JobLog;

  constructor(handler: LoadedHandler, state: unknown, log: JobLog) {
    this.handler = handler;
    this.state = state;
    this.#log = log;
    this.concurrency = new AskedConcurrency(handler.concurrency, log);
  }

  /** Never rejects. */
  async dispose(): Promise<void> {
    try {
      await this.handler.dispose?.(this.state);
    } catch (thrown) {
      this.#log.error(`dispose failed: ${describeThrown(thrown).message}`);
    }
  }
}

/**
 * Runs the handler's setup. One that takes longer than its limit is told so by its signal, and waited for no more; what it
 * gives after that is disposed of.
 *
 * @param signal says that the setup is no longer wanted
 * @throws InitError when setup throws, or takes too long
 */
export async function beginLife(
  { handler, log, volumePath, initLimitMs }: HandlerLifeOptions,
  signal: AbortSignal,
): Promise<HandlerLife> {
  for (const hint of handler.hints) log.warn(hint);
  const run = new SetupRun(log, volumePath, () => {});
  const late = Promise.withResolvers<never>();
  const limit = setTimeout(() => {
    run.abort();
    late.reject(new InitError(`setup took longer than the ${initLimitMs} ms it may take.`));
  }, initLimitMs);
  const unwanted = (): void => run.abort();
  signal.addEventListener("abort", unwanted);
  const setup = setUp(handler, run).then((state) => new HandlerLife(handler, state, log));
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

async function setUp(handler: LoadedHandler, run: SetupRun): Promise<unknown> {
  try {
    return await handler.setup?.(run);
  } catch (thrown) {
    const { message, stack } = describeThrown(thrown);
    throw new InitError(`setup failed: ${message}`, stack);
  }
}
