/** Saves a job as a file with the body of a submission, and reads such a file, for example for another emulator. */
import { readFile, writeFile } from "node:fs/promises";
import { scanJson } from "../../core/jobs/raw-json/scan.ts";
import { failedUse, UsageError } from "../usage-error.ts";
import { type CommandCall, show } from "./command-call.ts";
import type { JobDetails } from "./find-job.ts";
import { RefusedError } from "./service-client.ts";
import { plain } from "./terminal.ts";

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

/**
 * The body of the submission in a file, and its endpoint.
 * @param endpointId default: the one that the file names
 */
export async function savedJob(file: string, endpointId: string | undefined) {
  const body = await readFile(file, "utf8").catch((error: unknown) => {
    throw failedUse("the job cannot be read", error);
  });
  return { endpointId: endpointId ?? namedIn(body, file), body };
}

/** The limits that a submission may set. */
function policyOf({ submittedAt, expiresAt, ttlPinned, ...job }: Omit<JobDetails, "attempts">) {
  const ttl = Date.parse(expiresAt) - Date.parse(submittedAt);
  const { executionTimeout, lowPriority } = job;
  return { executionTimeout, lowPriority, ...(!ttlPinned && { ttl }) };
}

/** The raw text of a member. Parsing and writing it again could change numbers. */
export function memberOf(json: string, name: string): string | undefined {
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
