/** Runs the commands for a running emulator: each asks the emulator and shows the answer. */
import { durationInWords } from "../../core/time/duration.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Environment } from "../serve/setting-values.ts";
import { emulatorNear } from "../emulator-file.ts";
import type { StopSignals } from "../signals.ts";
import { firstLine } from "../terminal-text.ts";
import { UsageError } from "../usage-error.ts";
import { clock } from "./clock.ts";
import { type CommandCall, show, showTable } from "./command-call.ts";
import type { CommandName, GivenCommand } from "./commands.ts";
import { findJob, jobIdOf, readJob } from "./find-job.ts";
import { createKey, createToken, listKeys, revokeKey, showAudit } from "./keys.ts";
import { showLogs } from "./logs.ts";
import { ready } from "./ready.ts";
import { listReplicas } from "./replicas.ts";
import { runJob } from "./run-job.ts";
import { saveJob } from "./saved-job.ts";
import { RefusedError, ServiceClient } from "./service-client.ts";
import { jobText } from "./show-job.ts";
import { stateText } from "./table.ts";
import { instantInWords, plain, type Terminal } from "./terminal.ts";
import { webhooks } from "./webhooks.ts";
import { factsOf } from "./why/explain-job.ts";
import { why } from "./why/why.ts";

/** Runs a command at the terminal of this process. Ctrl-C ends the command, but not its work in the emulator. */
export async function runAtTerminal(
  command: GivenCommand,
  signals: StopSignals,
): Promise<ExitCode> {
  const stopped = new AbortController();
  void signals.nth(1).then(() => stopped.abort());
  const unread = new AbortController();
  process.stdout.once("error", () => unread.abort());
  const terminal: Terminal = {
    out: (text) => void process.stdout.write(text),
    tell: (text) => void process.stderr.write(text),
    read: async () => (await import("node:stream/consumers")).text(process.stdin),
    colors: process.stdout.isTTY && (process.env["NO_COLOR"] ?? "") === "",
    confirm: process.stdin.isTTY && process.stdout.isTTY ? confirm : undefined,
    signal: AbortSignal.any([stopped.signal, unread.signal]),
  };
  try {
    await runCommand(command, environmentFor(command, process.env, process.cwd()), terminal);
    return EXIT.stopped;
  } catch (error) {
    if (unread.signal.aborted) return EXIT.stopped;
    if (!stopped.signal.aborted) throw error;
    // A followed log has no other end.
    return command.flags.follow === true ? EXIT.stopped : EXIT.stoppedAtOnce;
  }
}

/** Address and key of the emulator that runs in the directory count unless the user names another one. */
function environmentFor({ flags }: GivenCommand, env: Environment, directory: string): Environment {
  if (flags.url !== undefined || (env["SV_URL"] ?? "") !== "") return env;
  const near = emulatorNear(directory);
  if (near === undefined) return env;
  const key = env["SV_API_KEY"] || near.key;
  return { ...env, SV_URL: near.url, SV_API_KEY: key };
}

async function confirm(message: string): Promise<boolean> {
  const prompts = await import("@clack/prompts");
  return (await prompts.confirm({ message, initialValue: false })) === true;
}

/** @throws UsageError, UnreachableError, RefusedError, JobNotCompletedError */
export async function runCommand(
  { name, subject, input, flags }: GivenCommand,
  env: Environment,
  terminal: Terminal,
): Promise<void> {
  const client = new ServiceClient(flags.url, env, terminal.signal);
  return RUN[name]({ client, subject, input, flags, terminal });
}

const RUN: Readonly<Record<CommandName, (call: CommandCall) => Promise<void>>> = {
  open: printLink,
  endpoints: listEndpoints,
  workers: listWorkers,
  jobs: listJobs,
  job: showJob,
  why: explainJob,
  run: runJob,
  cancel: (call) => changeJob(call, "cancel"),
  retry: (call) => changeJob(call, "retry"),
  purge,
  webhooks,
  clock,
  "keys create": createKey,
  "keys list": (call) => listKeys(call),
  "keys revoke": (call) => revokeKey(call),
  "token create": createToken,
  "token list": (call) => listKeys(call, "workers"),
  "token revoke": (call) => revokeKey(call, "workers"),
  audit: showAudit,
  replicas: listReplicas,
  ready,
  logs: showLogs,
};

async function printLink(call: CommandCall): Promise<void> {
  const { ticket } = await call.client.call("issueTicket", {});
  const link = call.client.urlOf(`/?ticket=${encodeURIComponent(ticket)}`);
  show(call, { link }, () => `${link}\n`);
}

async function listEndpoints(call: CommandCall): Promise<void> {
  const { client } = call;
  const endpoints = await client.call("listEndpoints", {});
  const listed = await Promise.all(
    endpoints.map(async (endpoint) => ({
      ...endpoint,
      ...(await client.call("health", { endpointId: endpoint.id })),
    })),
  );
  showTable(call, listed, {
    endpoint: ({ id }) => id,
    type: ({ type }) => type,
    version: ({ version }) => version,
    queued: ({ jobs }) => jobs.inQueue,
    running: ({ jobs }) => jobs.inProgress,
    completed: ({ jobs }) => jobs.completed,
    failed: ({ jobs }) => jobs.failed,
    workers: ({ workers }) => workers.idle + workers.running + workers.initializing,
    "of at most": ({ workersMax }) => workersMax,
  });
}

async function listWorkers(call: CommandCall): Promise<void> {
  const { client, subject } = call;
  const endpoints = await client.call("listEndpoints", { includeWorkers: "true" });
  const wanted = endpoints.filter(({ id }) => subject === undefined || id === subject);
  if (subject !== undefined && wanted.length === 0)
    throw new RefusedError(`there is no endpoint "${subject}"`);
  const workers = wanted.flatMap((endpoint) => endpoint.workers ?? []);
  showTable(call, workers, {
    worker: ({ id }) => id,
    endpoint: ({ endpointId }) => endpointId,
    wanted: ({ desiredStatus }) => desiredStatus,
    started: ({ lastStartedAt }) => instantInWords(lastStartedAt),
    gpu: ({ gpu }) => gpu && `${gpu.count} × ${gpu.id}`,
    image: ({ image }) => image,
  });
}

async function listJobs(call: CommandCall): Promise<void> {
  const { status, limit } = call.flags;
  const { jobs } = await call.client.call("listJobs", { endpointId: call.subject, status, limit });
  showTable(call, jobs, {
    job: ({ id }) => id,
    endpoint: ({ endpointId }) => endpointId,
    status: (job) => ({ state: job.status }),
    submitted: ({ submittedAt }) => instantInWords(submittedAt),
    waited: ({ delayTime }) => durationInWords(delayTime),
    executed: ({ executionTime }) => durationInWords(executionTime),
    worker: ({ workerId }) => workerId,
    error: ({ error }) => firstLine(error),
  });
}

async function showJob(call: CommandCall): Promise<void> {
  const id = await findJob(call);
  if (call.flags.save !== undefined) return saveJob(call, id, call.flags.save);
  const job = await readJob(call.client, id);
  show(call, job, (paint) => jobText(job, paint));
}

async function explainJob(call: CommandCall): Promise<void> {
  const facts = await factsOf(call.client, await findJob(call));
  const text = why(facts);
  show(call, { id: facts.job.id, status: facts.job.status, why: text }, () => `${plain(text)}\n`);
}

async function changeJob(call: CommandCall, change: "cancel" | "retry"): Promise<void> {
  const { client, subject = "" } = call;
  const jobId = await jobIdOf(client, subject);
  const { endpointId, deletedAt } = await readJob(client, jobId, "true");
  if (deletedAt !== undefined)
    throw new RefusedError(`the job "${jobId}" was deleted, and its input is not kept`);
  const job = await client.call(change, { endpointId, jobId });
  show(call, job, (paint) => `${plain(job.id)} ${stateText(paint, job.status)}\n`);
}

async function purge(call: CommandCall): Promise<void> {
  const { client, subject: endpointId = "", flags, terminal } = call;
  if (flags.yes !== true) {
    if (terminal.confirm === undefined || flags.json === true) {
      throw new UsageError("purge removes jobs for good; without a terminal it needs --yes");
    }
    const { jobs } = await client.call("health", { endpointId });
    const question = `Remove ${jobs.inQueue} waiting jobs of the endpoint "${endpointId}"?`;
    if (!(await terminal.confirm(question))) {
      terminal.out("nothing was removed\n");
      return;
    }
  }
  const purged = await client.call("purgeQueue", { endpointId });
  show(call, purged, () => `${purged.removed} jobs removed\n`);
}
