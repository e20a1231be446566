/** Reads the live queue's answers: jobs to run, and jobs to stop. */
import { Buffer } from "node:buffer";
import { LIMITS } from "../../protocol/limits.ts";

/** The used members of a job from the queue. */
export interface TakenJob {
  readonly jobId: string;
  /** JSON text. */
  readonly input: Uint8Array;
  readonly s3Config?: Uint8Array;
  /** Present if the queue sends it. */
  readonly executionTimeoutMs?: number;
}

export interface TakenJobs {
  readonly jobs: readonly TakenJob[];
  /** A sentence for each invalid entry. */
  readonly problems: readonly string[];
}

const NONE: TakenJobs = { jobs: [], problems: [] };

/** Reads an answer with one job or a list of jobs. An answer of any other content type holds no job (live). */
export function readTakenJobs(contentType: string | undefined, body: Uint8Array): TakenJobs {
  if (!isJson(contentType) || body.byteLength === 0) return NONE;
  let answer: unknown;
  try {
    answer = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString());
  } catch (error) {
    return { jobs: [], problems: [`the queue's answer is no JSON: ${sentenceOf(error)}`] };
  }
  const jobs: TakenJob[] = [];
  const problems: string[] = [];
  for (const entry of Array.isArray(answer) ? (answer as unknown[]) : [answer]) {
    const job = readJob(entry);
    if (typeof job === "string") problems.push(job);
    else jobs.push(job);
  }
  return { jobs, problems };
}

/** Ids of jobs; none if the answer has no list. */
export function readJobsToStop(
  contentType: string | undefined,
  body: Uint8Array,
): readonly string[] {
  if (!isJson(contentType) || body.byteLength === 0) return [];
  try {
    const answer = JSON.parse(Buffer.from(body).toString()) as { readonly jobsToStop?: unknown };
    const { jobsToStop } = answer;
    return Array.isArray(jobsToStop) ? jobsToStop.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

/** Whether the answer is JSON by its content type. */
function isJson(contentType: string | undefined): boolean {
  return /^application\/json\s*(;|$)/iu.test(contentType ?? "");
}

/**
 * Returns the job, or the reason why the entry is not a job. A missing input counts as empty, because the live service drops
 * empty inputs.
 */
function readJob(entry: unknown): TakenJob | string {
  if (!isObject(entry)) return `the queue gave a job that is no object: ${shown(entry)}`;
  const { id, input = {}, s3Config, policy, executionTimeout } = entry;
  if (typeof id !== "string" || id === "")
    return `the queue gave a job without an id: ${shown(entry)}`;
  const limit = isObject(policy)
    ? (policy["executionTimeout"] ?? executionTimeout)
    : executionTimeout;
  const executionTimeoutMs = readLimit(limit);
  try {
    return {
      jobId: id,
      input: Buffer.from(JSON.stringify(input)),
      ...(isObject(s3Config) && { s3Config: Buffer.from(JSON.stringify(s3Config)) }),
      ...(executionTimeoutMs !== undefined && { executionTimeoutMs }),
    };
  } catch (error) {
    return `the input of job ${id} cannot be read: ${sentenceOf(error)}`;
  }
}

/** The limit; undefined for an invalid one. */
function readLimit(value: unknown): number | undefined {
  if (typeof value !== "number" || !(value >= 1)) return undefined;
  return Math.min(Math.floor(value), LIMITS.executionTimeoutMaxMs);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const SHOWN_CHARACTERS = 200;

function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, SHOWN_CHARACTERS);
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
