/** Workers for operators: the present ones and those that ended recently, with their newest lines. */
import type { LogEntry } from "../../core/observe/log/log-entry.ts";
import { readWorkerLine } from "../../core/observe/log/worker-line.ts";
import type { GpuUse } from "../../core/workers/gpu-allocation.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { WorkerPort } from "./worker-port.ts";
import type { HistoryPort } from "../observe/tell-port.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";
import type { WorkerReport } from "./worker-history.ts";

export interface OperatedWorker extends WorkerReport {
  /** Use of its GPUs. Undefined if unknown. */
  readonly gpuMemory: readonly GpuUse[] | undefined;
  /** Oldest first. */
  readonly lines: readonly LogEntry[];
}

export interface WantedWorkers {
  readonly endpointId: string | undefined;
  readonly workerId: string | undefined;
}

/**
 * The wanted workers, ended ones first within each endpoint.
 * @param lines number of newest lines of each
 * @throws ServiceError endpoint_not_found
 */
export async function operatedWorkers(
  engine: StepPort & WorkerPort & HistoryPort & CatalogPort,
  { endpointId, workerId }: WantedWorkers,
  lines: number,
): Promise<readonly OperatedWorker[]> {
  const { directory, fleet, logs, workerHistory } = engine;
  const endpoints =
    endpointId === undefined ? directory.endpoints() : [directory.endpoint(endpointId)];
  const isWanted = ({ id }: { readonly id: string }) => workerId === undefined || id === workerId;
  const reports = endpoints.flatMap(({ id }) => [
    ...workerHistory.endedOf(id).filter(isWanted),
    ...fleet
      .workersOf(id)
      .filter((worker) => !worker.gone.aborted && isWanted(worker))
      .map((worker) => workerHistory.reportOf(worker)),
  ]);
  const written = logs.newestOfWorkers(lines, endpointId);
  const uses = await gpuUses(engine, reports);
  const startedAt = startsOfRunning(engine);
  return reports.map((report) => ({
    ...report,
    // An advance of the clock moves the start of a running job.
    jobs: report.jobs.map((job) => ({
      ...job,
      startedAt: startedAt.get(job.jobId) ?? job.startedAt,
    })),
    gpuMemory: usesOf(report, uses),
    lines: written.get(report.id)?.map((line) => line.entry()) ?? lastLines(report, lines),
  }));
}

function startsOfRunning({ steps }: StepPort): ReadonlyMap<string, number | undefined> {
  const running = steps.jobsInMemory(({ status }) => status === "IN_PROGRESS");
  return new Map(running.map(({ id, startedAt }) => [id, startedAt]));
}

/** The kept lines, after the log has dropped them for lines of others. */
function lastLines(
  { id: workerId, endpointId, endedAt = 0, exit }: WorkerReport,
  count: number,
): readonly LogEntry[] {
  const lines = exit?.lastLogLines.slice(-count) ?? [];
  if (count === 0) return [];
  return lines.map((line) => readWorkerLine({ workerId, endpointId, line }, endedAt));
}

/** Asked only if a worker has a real GPU. */
async function gpuUses(
  { gpuUse }: WorkerPort,
  reports: readonly WorkerReport[],
): Promise<readonly GpuUse[]> {
  const isReal = ({ gpus, endedAt }: WorkerReport) =>
    endedAt === undefined && gpus.some(({ isSimulated }) => !isSimulated);
  return reports.some(isReal) ? gpuUse() : [];
}

function usesOf(
  { gpus, endedAt }: WorkerReport,
  uses: readonly GpuUse[],
): readonly GpuUse[] | undefined {
  const own = uses.filter((use) => gpus.some(({ id }) => id === use.id));
  return endedAt !== undefined || own.length === 0 ? undefined : own;
}
