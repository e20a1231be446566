/** Has V8 collect the buffers of streams less often. */
import module from "node:module";
import v8 from "node:v8";

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
