/** Makes V8 collect the buffers of streams less often. */
import module from "node:module";
import v8 from "node:v8";

/** Interval after the start in which V8 keeps its flags: the compile cache is not used by code under other flags. */
const STARTED_MS = 2_000;

/** Maximum growth of the heap before all garbage is collected, in percent. */
const GROWTH = 100;

/**
 * V8 collects all garbage after every 30 MB of new buffers, which a stream of large chunks makes several times a second. With
 * these flags V8 counts buffers as part of the heap, and the heap may double before it is collected. Without the second flag
 * the garbage of a mostly idle service is collected after 16 MB. The flags are set after the start.
 */
export function collectBuffersLessOften(): void {
  setTimeout(() => {
    module.flushCompileCache();
    v8.setFlagsFromString("--external-memory-accounted-in-global-limit");
    v8.setFlagsFromString(`--heap-growing-percent=${GROWTH}`);
  }, STARTED_MS).unref();
}
