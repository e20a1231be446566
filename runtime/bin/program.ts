/** Parts that `sv-worker` and `sv-worker run` share: signals, the compile cache, the log's format. */
import module from "node:module";
import type { LogFormat } from "../log/worker-log.ts";

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

export function defaultLogFormat(): LogFormat {
  return process.stderr.isTTY ? "pretty" : "json";
}
