/**
 * `GET /emulator/workers`: the workers with their stages, jobs, memory and newest lines, also those that ended in the last
 * hour.
 */
import { z } from "zod";
import {
  endpointIdParameter,
  linesParameter,
  parse,
  pastJobsParameter,
} from "../../../core/input/query-parameters.ts";
import { describeExit } from "../../../engine/workers/describe-exit.ts";
import { type OperatedWorker, operatedWorkers } from "../../../engine/workers/operated-workers.ts";
import type { PastJob } from "../../../engine/workers/worker-history.ts";
import { MEMORY_STEP_MS } from "../../../engine/workers/memory-watch.ts";
import { jsonAnswer } from "../../operation/answers/answer.ts";
import { json } from "../../schemas/contract.ts";
import { workersSchema } from "../../schemas/operated-worker.ts";
import { listsOf } from "../../replicas/merged-answer.ts";
import { endpointAskedFor, type Operation } from "../../operation/operation.ts";
import { iso } from "../../../core/time/iso.ts";

const workerIdParameter = z
  .string({ error: "must be given once" })
  .optional()
  .meta({ description: "Only this worker; an empty list if it is unknown." });

export const listWorkers: Operation = {
  methods: ["GET"],
  path: "/emulator/workers",
  owner: endpointAskedFor,
  gather: listsOf("workers"),
  access: "admin",
  contract: {
    tag: "emulator",
    query: z.object({
      endpointId: endpointIdParameter,
      workerId: workerIdParameter,
      lines: linesParameter,
      past: pastJobsParameter,
    }),
    answers: { 200: json("The workers, each endpoint's ended ones first.", workersSchema) },
    errors: ["endpoint_not_found"],
  },
  async perform({ service, query }) {
    const endpointId = parse(query, "endpointId", endpointIdParameter);
    const lines = parse(query, "lines", linesParameter);
    const past = parse(query, "past", pastJobsParameter);
    const wanted = { endpointId, workerId: parse(query, "workerId", workerIdParameter) };
    const workers = await operatedWorkers(service.engine, wanted, lines);
    return jsonAnswer({ workers: workers.map((worker) => shown(worker, past)) });
  },
};

/** JSON leaves undefined members out. */
function shown(operated: OperatedWorker, pastJobs: number) {
  const { isFrozen: frozen, gpus, memory, jobs, past, lines, exit, ...worker } = operated;
  return {
    ...worker,
    ...stagesOf(worker),
    frozen,
    gpus: gpus.map(({ id, typeId, isSimulated: simulated }) => ({ id, typeId, simulated })),
    exit: exit && { ...exitOf(exit), message: describeExit(exit) },
    memory: memory && { ...memory, stepMs: MEMORY_STEP_MS, endsAt: iso(memory.endsAt) },
    jobs: jobs.map((job) => ({ ...job, startedAt: iso(job.startedAt) })),
    past: past.slice(Math.max(0, past.length - pastJobs)).map(pastJob),
    lines: lines.map(({ at, level, message, origin }) => ({
      ...{ at: iso(at), level, message },
      jobId: origin?.jobId,
    })),
  };
}

function stagesOf(
  stages: Pick<
    OperatedWorker,
    "startedAt" | "pulledAt" | "bootedAt" | "readyAt" | "drainingAt" | "endedAt"
  >,
) {
  const { startedAt, pulledAt, bootedAt, readyAt, drainingAt, endedAt } = stages;
  const at = (moment: number | undefined) => (moment === undefined ? undefined : iso(moment));
  return {
    startedAt: iso(startedAt),
    pulledAt: at(pulledAt),
    bootedAt: at(bootedAt),
    readyAt: at(readyAt),
    drainingAt: at(drainingAt),
    endedAt: at(endedAt),
  };
}

function exitOf({ exitCode, signal, outOfMemory }: NonNullable<OperatedWorker["exit"]>) {
  return { exitCode, signal, outOfMemory };
}

function pastJob({ jobId, startedAt, endedAt, outcome }: PastJob) {
  return { jobId, startedAt: iso(startedAt), endedAt: iso(endedAt), outcome };
}
