/** The error of a wait for the end of all work that took too long: it says what goes on. */
import type { OpenWork } from "./idle.ts";

/** What was waited for did not end in time; the message says what still waits and runs. */
export class NotIdleError extends Error {
  override readonly name = "NotIdleError";
  readonly code = "not_idle";

  constructor({ jobs, underWay }: OpenWork, timeoutMs: number) {
    const parts = jobs.map(({ endpointId, inQueue, inProgress }) => {
      const counts = [
        ...(inQueue > 0 ? [`${inQueue} IN_QUEUE`] : []),
        ...(inProgress > 0 ? [`${inProgress} IN_PROGRESS`] : []),
      ];
      return `jobs of "${endpointId}": ${counts.join(", ")}`;
    });
    super(`not idle after ${timeoutMs} ms; ${[...parts, ...underWay].join("; ")}`);
  }
}
