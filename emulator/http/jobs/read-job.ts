/** `GET /emulator/jobs/{jobId}`: one job of any endpoint, with its input and output. */
import { z } from "zod";
import { flagParameter, parseFlag } from "../../core/input/query-parameters.ts";
import { objectOf } from "../../core/jobs/job-body.ts";
import { VIEWS } from "../../core/jobs/job-members.ts";
import { inspectJob } from "../../engine/jobs/read/inspect-jobs.ts";
import type { Piece } from "../operation/answers/answer.ts";
import { json } from "../schemas/contract.ts";
import { jobDetailsSchema } from "../schemas/job.ts";
import { endpointOfJob } from "./endpoint-of-job.ts";
import type { Operation } from "../operation/operation.ts";
import { iso } from "../../core/time/iso.ts";

export const readJob: Operation<{ readonly jobId: string }> = {
  methods: ["GET"],
  path: "/emulator/jobs/:jobId",
  owner: endpointOfJob,
  access: "admin",
  contract: {
    tag: "emulator",
    query: z.object({ brief: flagParameter("True leaves out input and output.") }),
    answers: { 200: json("The job.", jobDetailsSchema) },
    errors: ["job_not_found"],
  },
  async perform({ service, path, query }) {
    const { engine } = service;
    const isBrief = parseFlag(query, "brief");
    const { job, deletedAt, input, output } = await inspectJob(engine, path.jobId, isBrief);
    const deleted = deletedAt === undefined ? {} : { deletedAt: iso(deletedAt) };
    const head = JSON.stringify({ ...objectOf(job, VIEWS.details), ...deleted });
    // Payloads are passed on as bytes.
    const pieces: Piece[] = [head.slice(0, -1)];
    if (input !== undefined) pieces.push(',"input":', input);
    if (output !== undefined) pieces.push(',"output":', output);
    return { status: 200, pieces: [...pieces, "}"] };
  },
};
