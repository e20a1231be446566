/** Refuses to start a process where this one has too few file descriptors left: Node would report that as an uncaught error. */
import fs from "node:fs";

/** Descriptors that the start of a process takes for a moment: both ends of its pipes, and one for its error. */
const NEEDED = 10;

/** @throws Error that names the limit */
export function needDescriptors(): void {
  const opened: number[] = [];
  try {
    while (opened.length < NEEDED) opened.push(fs.openSync("/dev/null", "r"));
  } catch (error) {
    throw new Error("no process can be started: too many open files; raise ulimit -n", {
      cause: error,
    });
  } finally {
    for (const descriptor of opened) fs.closeSync(descriptor);
  }
}
