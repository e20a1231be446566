/** Runs a job and prints its output. Nothing else is written to stdout. */
import { readFile } from "node:fs/promises";
import { printableJson } from "../../../runtime/protocol/printable.ts";
import { isTerminal } from "../../../runtime/protocol/job-status.ts";
import { durationInWords } from "../../core/time/duration.ts";
import { painter } from "../terminal-text.ts";
import { failedUse, UsageError } from "../usage-error.ts";
import { type CommandCall, show } from "./command-call.ts";
import { readJob } from "./find-job.ts";
import type { AnswerOf } from "./operations.ts";
import { memberOf, savedJob } from "./saved-job.ts";
import { RefusedError } from "./service-client.ts";
import { jobText } from "./show-job.ts";
import { stateText } from "./table.ts";
import { plain } from "./terminal.ts";

/** The job of a `run` ended without success. */
class JobNotCompletedError extends Error {
  override readonly name = "JobNotCompletedError";
}

type Job = AnswerOf<"statusSync">;

interface Submission {
  readonly endpointId: string;
  readonly body: string;
}

/** Submits a job, waits for its end, and prints its output, or its chunks. @throws JobNotCompletedError when it is not COMPLETED */
export async function runJob(call: CommandCall): Promise<void> {
  const { client, flags, terminal } = call;
  const submission = await submissionOf(call);
  const { id, status, delayTime, executionTime } =
    flags.stream === true ? await streamed(call, submission) : await ended(call, submission);
  const isCompleted = status === "COMPLETED";
  const paint = painter(false);
  if (flags.json === true || !isCompleted) {
    const job = await readJob(client, id);
    if (flags.json === true) show(call, job, () => "");
    if (!isCompleted) terminal.tell(jobText(job, paint));
  }
  if (!isCompleted)
    throw new JobNotCompletedError(`the job is ${status}; sv-emulate why ${id} explains it`);
  if (flags.json === true) return;
  const times = `waited ${durationInWords(delayTime)}, ran ${durationInWords(executionTime)}`;
  terminal.tell(`${plain(id)} ${stateText(paint, status)} (${times})\n`);
}

async function submissionOf({ subject, input, flags, terminal }: CommandCall): Promise<Submission> {
  const isSaved = input === undefined && flags.policy === undefined;
  if (flags.from !== undefined && isSaved) return savedJob(flags.from, subject);
  if (subject === undefined || flags.from !== undefined)
    throw new UsageError(
      `run takes an endpoint and an input, for example: sv-emulate run greet '{"name":"Ada"}', or a saved job: --from job.json`,
    );
  const given = await inputText(input, terminal.read);
  const policy = flags.policy === undefined ? "" : `,"policy":${json(flags.policy, "--policy")}`;
  return { endpointId: subject, body: `{"input":${json(given, "the input")}${policy}}` };
}

async function inputText(input = "{}", read: () => Promise<string>): Promise<string> {
  if (input === "-") return read();
  if (!input.startsWith("@")) return input;
  return readFile(input.slice(1), "utf8").catch((error: unknown) => {
    throw failedUse("the input cannot be read", error);
  });
}

/** The text, which is sent as it is: parsing and writing it again could change numbers. @throws UsageError */
function json(text: string, what: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch (error) {
    throw failedUse(`${what} is no JSON`, error);
  }
}

/** Prints the output once the job has ended. */
async function ended(call: CommandCall, { endpointId, body }: Submission): Promise<Job> {
  const { client, flags } = call;
  let text = await client.text(flags.sync === true ? "runsync" : "run", { endpointId }, body);
  let job = client.read("statusSync", text);
  while (!isTerminal(job.status)) {
    text = await client.text("statusSync", { endpointId, jobId: job.id });
    job = client.read("statusSync", text);
  }
  if (job.status === "COMPLETED") print(call, memberOf(text, "output"));
  return job;
}

/** Prints the chunks as they come. */
async function streamed(call: CommandCall, { endpointId, body }: Submission): Promise<Job> {
  for await (const { type, data } of call.client.events("run", { endpointId }, body)) {
    if (type === "chunk") print(call, memberOf(data, "output"));
    if (type === "restart") call.terminal.tell("the job runs again: the chunks begin anew\n");
    if (type === "end") return call.client.read("statusSync", data);
  }
  throw new RefusedError("the stream broke off before the end of the job");
}

/** A job as JSON contains its output already. */
function print({ flags, terminal }: CommandCall, output: string | undefined): void {
  if (flags.json === true || output === undefined) return;
  terminal.out(`${printableJson(output)}\n`);
}
