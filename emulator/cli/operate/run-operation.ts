/** Performs the subcommands for a running emulator: asks it, and shows the answer. */
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { StopSignals } from "../signals.ts";
import type { Environment } from "../serve/setting-values.ts";
import { UsageError } from "../usage-error.ts";
import {
  endpointsSchema,
  healthSchema,
  jobDetailsSchema,
  jobsSchema,
  jobStateSchema,
  purgedSchema,
  ticketSchema,
} from "./answers.ts";
import { askReady } from "./ask-ready.ts";
import { findJob, jobIdOf } from "./find-job.ts";
import { operateClock } from "./operate-clock.ts";
import type { Operation } from "./operate-flags.ts";
import { operateKeys, showAudit } from "./operate-keys.ts";
import { operateWebhooks } from "./operate-webhooks.ts";
import { type OperationCall, show } from "./operation-call.ts";
import { runSaved, saveJob } from "./saved-job.ts";
import { RefusedError, ServiceClient } from "./service-client.ts";
import { jobText } from "./show-job.ts";
import { listReplicas } from "./list-replicas.ts";
import { showLogs } from "./show-logs.ts";
import { tableText } from "./table.ts";
import { factsOf } from "./why/explain-job.ts";
import { why } from "./why/why.ts";
import { durationInWords } from "../../core/time/duration.ts";
import {
  firstLine,
  instantInWords,
  painter,
  plain,
  statusInColor,
  type Terminal,
} from "./terminal.ts";

/** At the terminal of this process. Ctrl-C breaks off what is under way; what has been asked of the emulator, it does. */
export async function operate(operation: Operation, signals: StopSignals): Promise<ExitCode> {
  const stopped = new AbortController();
  void signals.nth(1).then(() => stopped.abort());
  const unread = new AbortController();
  process.stdout.once("error", () => unread.abort());
  const terminal: Terminal = {
    out: (text) => void process.stdout.write(text),
    colors: process.stdout.isTTY && (process.env["NO_COLOR"] ?? "") === "",
    confirm: process.stdin.isTTY && process.stdout.isTTY ? confirm : undefined,
    signal: AbortSignal.any([stopped.signal, unread.signal]),
  };
  try {
    await runOperation(operation, process.env, terminal);
    return EXIT.stopped;
  } catch (error) {
    if (unread.signal.aborted) return EXIT.stopped;
    if (!stopped.signal.aborted) throw error;
    // It goes on until it is told to stop.
    return operation.flags.follow === true ? EXIT.stopped : EXIT.stoppedAtOnce;
  }
}

async function confirm(message: string): Promise<boolean> {
  const prompts = await import("@clack/prompts");
  return (await prompts.confirm({ message, initialValue: false })) === true;
}

/** @throws UsageError, UnreachableError, RefusedError */
export async function runOperation(
  operation: Operation,
  env: Environment,
  terminal: Terminal,
): Promise<void> {
  const { name, subject = "", flags } = operation;
  const client = new ServiceClient(flags.url, env, terminal.signal);
  const call = { client, subject: operation.subject, flags, terminal };
  switch (name) {
    case "open":
      return printLink(call);
    case "endpoints":
      return listEndpoints(call);
    case "workers":
      return listWorkers(call, operation.subject);
    case "jobs":
      return listJobs(call, operation.subject);
    case "job":
      return showJob(call);
    case "why":
      return explainJob(call);
    case "run":
      return runSaved(call);
    case "cancel":
    case "retry":
      return changeJob(call, name, subject);
    case "purge":
      return purge(call, subject);
    case "webhooks":
      return operateWebhooks(call);
    case "keys create":
    case "keys list":
    case "keys revoke":
    case "token create":
    case "token list":
    case "token revoke":
      return operateKeys(call, name);
    case "audit":
      return showAudit(call);
    case "clock":
      return operateClock(call);
    case "replicas":
      return listReplicas(call);
    case "ready":
      return askReady(call);
    case "logs":
      return showLogs(client, operation.subject, flags, terminal);
  }
}

async function printLink(call: OperationCall): Promise<void> {
  const { ticket } = await call.client.post("/emulator/tickets", ticketSchema);
  const link = call.client.urlOf(`/?ticket=${encodeURIComponent(ticket)}`);
  show(call, { link }, () => `${link}\n`);
}

async function listEndpoints(call: OperationCall): Promise<void> {
  const { client } = call;
  const endpoints = await client.get("/v1/endpoints", endpointsSchema);
  const listed = await Promise.all(
    endpoints.map(async (endpoint) => ({
      ...endpoint,
      ...(await client.get(`/v2/${encodeURIComponent(endpoint.id)}/health`, healthSchema)),
    })),
  );
  const head = ["endpoint", "type", "version", "queued", "running", "completed", "failed"];
  show(call, listed, () =>
    tableText(
      [...head, "workers", "of at most"],
      listed.map(({ id, type, version, jobs, workers, workersMax }) => {
        const { inQueue, inProgress, completed, failed } = jobs;
        const { idle, running, initializing } = workers;
        const counts = [version, inQueue, inProgress, completed, failed];
        const alive = idle + running + initializing;
        return [plain(id), plain(type), ...[...counts, alive, workersMax].map(String)];
      }),
    ),
  );
}

async function listWorkers(call: OperationCall, endpointId: string | undefined): Promise<void> {
  const path = "/v1/endpoints?includeWorkers=true";
  const endpoints = await call.client.get(path, endpointsSchema);
  if (endpointId !== undefined && !endpoints.some(({ id }) => id === endpointId)) {
    throw new RefusedError(`there is no endpoint "${endpointId}"`);
  }
  const wanted = endpoints.filter(({ id }) => endpointId === undefined || id === endpointId);
  const listed = wanted.flatMap(({ id, workers = [] }) =>
    workers.map((worker) => ({ ...worker, endpointId: id })),
  );
  show(call, listed, () =>
    tableText(
      ["worker", "endpoint", "wanted", "started", "gpu", "image"],
      listed.map(({ id, endpointId: of, desiredStatus, lastStartedAt, gpu, image = "" }) => {
        const devices = gpu === undefined ? "" : `${gpu.count} × ${gpu.id}`;
        const started = instantInWords(lastStartedAt);
        return [id, of, desiredStatus, started, devices, image].map(plain);
      }),
    ),
  );
}

async function listJobs(call: OperationCall, endpointId: string | undefined): Promise<void> {
  const { status, limit } = call.flags;
  const query = new URLSearchParams({
    ...(endpointId !== undefined && { endpointId }),
    ...(status !== undefined && { status }),
    ...(limit !== undefined && { limit }),
  });
  const { jobs } = await call.client.get(`/emulator/jobs?${query.toString()}`, jobsSchema);
  const paint = painter(call.terminal);
  show(call, jobs, () =>
    tableText(
      ["job", "endpoint", "status", "submitted", "waited", "executed", "worker", "error"],
      jobs.map((job) => [
        plain(job.id),
        plain(job.endpointId),
        statusInColor(paint, job.status),
        instantInWords(job.submittedAt),
        durationInWords(job.delayTime),
        durationInWords(job.executionTime),
        plain(job.workerId ?? ""),
        firstLine(job.error ?? ""),
      ]),
    ),
  );
}

async function showJob(call: OperationCall): Promise<void> {
  const id = await findJob(call);
  if (call.flags.save !== undefined) return saveJob(call, id, call.flags.save);
  const job = await call.client.get(`/emulator/jobs/${encodeURIComponent(id)}`, jobDetailsSchema);
  show(call, job, () => jobText(job, call.terminal));
}

async function explainJob(call: OperationCall): Promise<void> {
  const facts = await factsOf(call.client, await findJob(call));
  const text = why(facts);
  show(call, { id: facts.job.id, status: facts.job.status, why: text }, () => `${plain(text)}\n`);
}

async function changeJob(
  call: OperationCall,
  name: "cancel" | "retry",
  given: string,
): Promise<void> {
  const { client, terminal } = call;
  const id = await jobIdOf(client, given);
  const jobId = encodeURIComponent(id);
  const job = await client.get(`/emulator/jobs/${jobId}?brief=true`, jobDetailsSchema);
  const { endpointId, deletedAt } = job;
  if (deletedAt !== undefined)
    throw new RefusedError(`the job "${id}" was deleted, and its input is not kept`);
  const path = `/v2/${encodeURIComponent(endpointId)}/${name}/${jobId}`;
  const state = await client.post(path, jobStateSchema);
  const paint = painter(terminal);
  show(call, state, () => `${plain(state.id)} ${statusInColor(paint, state.status)}\n`);
}

async function purge(call: OperationCall, endpointId: string): Promise<void> {
  const { client, flags, terminal } = call;
  const base = `/v2/${encodeURIComponent(endpointId)}`;
  if (flags.yes !== true) {
    if (terminal.confirm === undefined || flags.json === true) {
      throw new UsageError("purge removes jobs for good: say --yes where nobody can be asked");
    }
    const { jobs } = await client.get(`${base}/health`, healthSchema);
    const question = `Remove ${jobs.inQueue} waiting jobs of the endpoint "${endpointId}"?`;
    if (!(await terminal.confirm(question))) {
      terminal.out("nothing was removed\n");
      return;
    }
  }
  const purged = await client.post(`${base}/purge-queue`, purgedSchema);
  show(call, purged, () => `${purged.removed} jobs removed\n`);
}
