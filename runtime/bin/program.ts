/** Parts that `sv-worker` and `sv-worker run` share: signals, the compile cache, the log's format. */
import module from "node:module";
import type { LogFormat } from "../log/worker-log.ts";
import { SPARE_NAME } from "../protocol/environment/worker-env.ts";

export function onSignals(on: { first(): void; again(): void }): void {
  let signals = 0;
  const heard = (): void => {
    signals++;
    if (signals === 1) on.first();
    else on.again();
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, heard);
}

/** The environment with which the handler process uses the same compile cache, and starts faster. */
export function compileCacheEnv(): Record<string, string> {
  const directory = module.getCompileCacheDir();
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: directory };
}

/**
 * Resolves once the launcher has told a spare worker its variables, which are then in its environment. Undefined for any other
 * worker.
 */
export function toldVariables(): Promise<Readonly<Record<string, string>>> | undefined {
  const { [SPARE_NAME]: isSpare } = process.env;
  if (isSpare !== "1") return undefined;
  delete process.env[SPARE_NAME];
  const { promise, resolve } = Promise.withResolvers<Readonly<Record<string, string>>>();
  let text = "";
  const read = (piece: string): void => {
    text += piece;
    if (!text.endsWith("\n")) return;
    process.stdin.off("data", read).resume();
    // The launcher writes an environment, so it is valid.
    const told = JSON.parse(text) as Readonly<Record<string, string>>;
    Object.assign(process.env, told);
    resolve(told);
  };
  process.stdin.setEncoding("utf8").on("data", read);
  return promise;
}

export function defaultLogFormat(): LogFormat {
  return process.stderr.isTTY ? "pretty" : "json";
}
