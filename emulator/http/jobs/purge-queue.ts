/** `POST /purge-queue`: removes the jobs that wait and says how many those were (spec). */
import { purgeQueue as purge } from "../../engine/purge-queue.ts";
import { jsonAnswer } from "../answer.ts";
import type { EndpointPath, Operation } from "../operation.ts";

export const purgeQueue: Operation<EndpointPath> = {
  methods: ["POST"],
  path: "/v2/:endpointId/purge-queue",
  body: "skipped",
  async perform({ service, path }) {
    const removed = await purge(service.engine, path.endpointId);
    return jsonAnswer({ removed, status: "completed" });
  },
};
