/** Has V8 collect the buffers of streams less often. */
import module from "node:module";
import v8 from "node:v8";

/** By then what a start needs is loaded: code compiled under other flags does not come out of a cache. */
const STARTED_MS = 2_000;

/** By how much, in percent, what is in memory may grow until all garbage is collected. */
const GROWTH = 100;

/**
 * V8 collects all garbage each time some 30 MB of buffers were made, which a stream of large chunks does many times a
 * second; told so, it counts them together with the rest of the heap. How much that may grow it goes by how busy it was: on
 * a service that mostly waits by 16 MB, and each collection reads all of the heap. Takes effect when the start is over.
 */
export function collectBuffersLessOften(): void {
  setTimeout(() => {
    module.flushCompileCache();
    v8.setFlagsFromString("--external-memory-accounted-in-global-limit");
    v8.setFlagsFromString(`--heap-growing-percent=${GROWTH}`);
  }, STARTED_MS).unref();
}
