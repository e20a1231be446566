/** Saves a job as a file with the body of a submission, and runs such a file, for example on another emulator. */
import { readFile, writeFile } from "node:fs/promises";
import { isTerminal } from "../../../runtime/protocol/job-status.ts";
import { scanJson } from "../../core/jobs/raw-json/scan.ts";
import { failedUse, UsageError } from "../usage-error.ts";
import { type CommandCall, show } from "./command-call.ts";
import { type JobDetails, readJob } from "./find-job.ts";
import { RefusedError, type ServiceClient } from "./service-client.ts";
import { jobText } from "./show-job.ts";
import { plain } from "./terminal.ts";

/** The job of a `run` ended without success. */
class JobNotCompletedError extends Error {
  override readonly name = "JobNotCompletedError";
}

/** Saves endpoint, limits and input. The input is saved as it was sent, `webhook` and `s3Config` are not saved. */
export async function saveJob(call: CommandCall, id: string, file: string): Promise<void> {
  const { client } = call;
  const text = await client.text("readJob", { jobId: id });
  const job = client.read("readJob", text);
  const input = memberOf(text, "input");
  if (input === undefined)
    throw new RefusedError(`the job ${id} was deleted, and its input is not kept`);
  const head = JSON.stringify({ endpointId: job.endpointId, policy: policyOf(job) });
  const saving = writeFile(file, `${head.slice(0, -1)},"input":${input}}\n`, { flag: "wx" });
  await saving.catch((error: unknown) => {
    throw failedUse("the job cannot be saved", error);
  });
  const saved = { id, endpointId: job.endpointId, file };
  show(
    call,
    saved,
    () => `${plain(id)} saved; sv-emulate run --from ${plain(file)} runs it again\n`,
  );
}

/** Submits the job in a file, waits for its end, and shows it. @throws JobNotCompletedError when it is not COMPLETED */
export async function runSaved(call: CommandCall): Promise<void> {
  const { client, subject, flags } = call;
  if (flags.from === undefined)
    throw new UsageError("run takes a job from a file: --from job.json, as job --save writes it");
  const body = await readFile(flags.from, "utf8").catch((error: unknown) => {
    throw failedUse("the job cannot be read", error);
  });
  const endpointId = subject ?? namedIn(body, flags.from);
  const { id: jobId } = await client.call("run", { endpointId }, body);
  const job = await ended(client, endpointId, jobId);
  show(call, job, (paint) => jobText(job, paint));
  if (job.status !== "COMPLETED") throw new JobNotCompletedError(`the job is ${job.status}`);
}

async function ended(client: ServiceClient, endpointId: string, jobId: string) {
  while (!isTerminal((await client.call("statusSync", { endpointId, jobId })).status));
  return readJob(client, jobId);
}

/** The limits that a submission may set. */
function policyOf({ submittedAt, expiresAt, ttlPinned, ...job }: Omit<JobDetails, "attempts">) {
  const ttl = Date.parse(expiresAt) - Date.parse(submittedAt);
  const { executionTimeout, lowPriority } = job;
  return { executionTimeout, lowPriority, ...(!ttlPinned && { ttl }) };
}

/** The raw text of a member. Parsing and writing it again could change numbers. */
function memberOf(json: string, name: string): string | undefined {
  const bytes = Buffer.from(json);
  const scan = scanJson(bytes, { keep: [name] });
  const span = scan.ok ? scan.members.get(name) : undefined;
  return span && bytes.subarray(span.start, span.end).toString();
}

function namedIn(json: string, file: string): string {
  const named = memberOf(json, "endpointId");
  const endpointId: unknown = named === undefined ? undefined : JSON.parse(named);
  if (typeof endpointId === "string") return endpointId;
  throw new UsageError(
    `${file} names no endpoint as its endpointId: sv-emulate run <endpoint> --from ${file}`,
  );
}
