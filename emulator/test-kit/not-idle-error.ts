/** The error of a wait that took too long. It names the remaining work. */
import type { OpenWork } from "./idle.ts";

/** The wait timed out. The message names the waiting and running work. */
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
