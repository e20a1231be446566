/** Saves a job as a file that is the body of a submission, and runs such a file: on another emulator, say, or after a change. */
import { readFile, writeFile } from "node:fs/promises";
import { isTerminal } from "../../../runtime/protocol/job-status.ts";
import { scanJson } from "../../core/jobs/raw-json/scan.ts";
import { failedUse, UsageError } from "../usage-error.ts";
import { jobDetailsSchema, jobStateSchema, type ShownJob } from "./answers.ts";
import { type OperationCall, show } from "./operation-call.ts";
import { RefusedError, type ServiceClient } from "./service-client.ts";
import { jobText } from "./show-job.ts";
import { plain } from "./terminal.ts";

/** A job that was run did not go well. */
class JobNotCompletedError extends Error {
  override readonly name = "JobNotCompletedError";
}

/** Endpoint, limits and input, the input as it was sent. Of credentials, `webhook` and `s3Config`, nothing is saved. */
export async function saveJob(call: OperationCall, id: string, file: string): Promise<void> {
  const { client } = call;
  const text = await client.text(`/emulator/jobs/${encodeURIComponent(id)}`);
  const job = client.read(text, jobDetailsSchema);
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

/** Submits what a file has, waits for the end, and shows it. @throws JobNotCompletedError when the job does not go well */
export async function runSaved(call: OperationCall): Promise<void> {
  const { client, subject, flags, terminal } = call;
  if (flags.from === undefined)
    throw new UsageError("run takes a job from a file: --from job.json, as job --save writes it");
  const body = await readFile(flags.from, "utf8").catch((error: unknown) => {
    throw failedUse("the job cannot be read", error);
  });
  const endpointId = subject ?? namedIn(body, flags.from);
  const base = `/v2/${encodeURIComponent(endpointId)}`;
  const { id } = await client.post(`${base}/run`, jobStateSchema, body);
  const job = await ended(client, base, id);
  show(call, job, () => jobText(job, terminal));
  if (job.status !== "COMPLETED") throw new JobNotCompletedError(`the job is ${job.status}`);
}

async function ended(client: ServiceClient, base: string, id: string): Promise<ShownJob> {
  const path = `${base}/status-sync/${encodeURIComponent(id)}`;
  while (!isTerminal((await client.get(path, jobStateSchema)).status));
  return client.get(`/emulator/jobs/${encodeURIComponent(id)}`, jobDetailsSchema);
}

/** What of its limits a submission may say. */
function policyOf({ submittedAt, expiresAt, ttlPinned, ...job }: ShownJob) {
  const ttl = Date.parse(expiresAt) - Date.parse(submittedAt);
  const { executionTimeout, lowPriority } = job;
  return { executionTimeout, lowPriority, ...(ttlPinned !== true && { ttl }) };
}

/** The raw text of a member: what is parsed and written again may have other numbers. */
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
