/** What both ways of running `sv-worker` need of the process they run in. */
import module from "node:module";
import v8 from "node:v8";
import type { LogFormat } from "../log/worker-log.ts";

/** By then what a start needs is loaded: code compiled under other flags does not come out of a cache. */
const STARTED_MS = 2_000;

/**
 * V8 collects all garbage each time some 30 MB of buffers were made, which a stream of large chunks does many times a
 * second; told so, it counts them together with the rest of the heap. Takes effect when the start is over.
 */
export function collectBuffersLessOften(): void {
  setTimeout(() => {
    module.flushCompileCache();
    v8.setFlagsFromString("--external-memory-accounted-in-global-limit");
  }, STARTED_MS).unref();
}

export function obeySignals(obey: { first(): void; again(): void }): void {
  let signals = 0;
  const heard = (): void => {
    signals++;
    if (signals === 1) obey.first();
    else obey.again();
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, heard);
}

/** The handler process shares this process's cache of compiled modules: it starts faster. */
export function compileCacheEnv(): Record<string, string> {
  const directory = module.getCompileCacheDir();
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: directory };
}

export function defaultLogFormat(): LogFormat {
  return process.stderr.isTTY ? "pretty" : "json";
}
