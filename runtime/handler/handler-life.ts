/** A handler from its setup to its dispose. */
import { CurrentConcurrency } from "./current-concurrency.ts";
import type { JobLog } from "./contract.ts";
import { InitError } from "./init-error.ts";
import type { LoadedHandler } from "./module/read-module.ts";
import type { SetupRun } from "./setup-run.ts";
import { describeThrown } from "./thrown.ts";

/** A handler after its setup. */
export class HandlerLife {
  readonly handler: LoadedHandler;
  /** The result of `setup`. */
  readonly state: unknown;
  readonly concurrency: CurrentConcurrency;
  readonly #log: JobLog;

  constructor(handler: LoadedHandler, state: unknown, log: JobLog) {
    this.handler = handler;
    this.state = state;
    this.#log = log;
    this.concurrency = new CurrentConcurrency(handler.concurrency, log);
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
 * Runs the handler's setup, if it has one.
 *
 * @param setupName name of the setup in the message about its failure
 * @throws InitError when setup throws
 */
export async function beginLife(
  handler: LoadedHandler,
  run: SetupRun,
  setupName: string,
): Promise<HandlerLife> {
  for (const hint of handler.hints) run.log.warn(hint);
  try {
    return new HandlerLife(handler, await handler.setup?.(run), run.log);
  } catch (thrown) {
    const { message, stack } = describeThrown(thrown);
    throw new InitError(`${setupName} failed: ${message}`, stack);
  }
}
