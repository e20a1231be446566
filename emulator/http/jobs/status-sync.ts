/** `/status-sync/{id}`: the job once it has ended, or as it is after `wait` (live). */
import { parseWaitMs } from "../../core/query-parameters.ts";
import { viewJobAtEnd } from "../../engine/job-view.ts";
import { ClientWait } from "../client-wait.ts";
import type { JobPath, Operation } from "../operation.ts";

export const statusSync: Operation<JobPath> = {
  methods: ["GET", "POST"],
  path: "/v2/:endpointId/status-sync/:jobId",
  body: "skipped",
  async perform({ service, dialect, path, query, response }) {
    const waitMs = parseWaitMs(query);
    using wait = new ClientWait(service, response);
    const view = await viewJobAtEnd(service.engine, path, waitMs, wait.signal);
    return { status: 200, pieces: dialect.job(view) };
  },
};
