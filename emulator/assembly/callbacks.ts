/** Guards the functions that an embedder gives the service: an error in one of them harms nothing else. */
import { guarded, type OnDefect } from "../core/guarded.ts";
import type { EngineLog } from "../engine/observe/engine-log.ts";
import { Defects } from "../engine/observe/defects.ts";
import type { EmulatorOptions } from "../options.ts";

/** The options that are functions without a result. */
type CallbackName = {
  [K in keyof EmulatorOptions]-?: NonNullable<EmulatorOptions[K]> extends (...told: never[]) => void
    ? K
    : never;
}[keyof EmulatorOptions];

/** By option; the compiler reports a missing one. */
const CALLBACKS: Readonly<Record<CallbackName, string>> = {
  workerLine: "the function workerLine, which is called with each line of a worker, failed",
  attemptEnded: "the function attemptEnded, which is called as an attempt ends, failed",
  handlerTold: "the function handlerTold, which is called with the schemas of a handler, failed",
  storeLost: "the function storeLost, which is called when the store is lost, failed",
  jobEnded: "the function jobEnded, which is called with each job as it ends, failed",
};

/** `options` with functions that never throw; a defect of one of them is logged once, with its stack. */
export function guardCallbacks(options: EmulatorOptions): EmulatorOptions {
  const { log } = options;
  const guardedLog = log && guardLog(log);
  const defects = new Defects(guardedLog ?? WARNING);
  const made: Partial<Record<string, (...told: never[]) => void>> = {};
  for (const name of Object.keys(CALLBACKS) as CallbackName[]) {
    const given: ((...told: never[]) => unknown) | undefined = options[name];
    if (given) made[name] = guarded(given, defects.of(CALLBACKS[name]));
  }
  return { ...options, ...made, ...(guardedLog && { log: guardedLog }) };
}

function guardLog(log: EngineLog): EngineLog {
  const onDefect: OnDefect = new Defects(WARNING).of("a function of the option log failed");
  return {
    info: guarded((fields, message) => log.info(fields, message), onDefect),
    warn: guarded((fields, message) => log.warn(fields, message), onDefect),
    error: guarded((fields, message) => log.error(fields, message), onDefect),
  };
}

/** Used without a log, and for defects of the log: Node prints a warning with the stack. */
const WARNING: Pick<EngineLog, "error"> = {
  error({ err }, sentence) {
    const detail = err instanceof Error ? err.stack : String(err);
    process.emitWarning(`${sentence}: ${String(err)}`, {
      type: "EmulatorWarning",
      ...(detail !== undefined && { detail }),
    });
  },
};
