/** `POST /purge-queue`: removes the waiting jobs and answers their number (spec). */
import { purgeQueue as purge } from "../../engine/jobs/purge-queue.ts";
import { jsonAnswer } from "../operation/answers/answer.ts";
import type { EndpointPath, Operation } from "../operation/operation.ts";
import { json } from "../schemas/contract.ts";
import { purgedSchema } from "../schemas/job.ts";

export const purgeQueue: Operation<EndpointPath> = {
  methods: ["POST"],
  path: "/v2/:endpointId/purge-queue",
  rateLimit: "purge-queue",
  isAudited: true,
  contract: {
    tag: "jobs",
    answers: { 200: json("The queue is empty.", purgedSchema) },
    errors: ["endpoint_not_found", "wrong_endpoint_type", "storage_full"],
  },
  async perform({ service, path }) {
    const removed = await purge(service.engine, path.endpointId);
    const answer = jsonAnswer({ removed, status: "completed" });
    return { ...answer, subject: `${path.endpointId}, ${removed} jobs` };
  },
};
