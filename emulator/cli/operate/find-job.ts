/** Finds the job that a command is about: by its id, by an end of the id as the log shows it, or as the newest. */
import type { Answers, Attempt } from "../../../runtime/protocol/generated/answers.ts";
import { UsageError } from "../usage-error.ts";
import type { CommandCall } from "./command-call.ts";
import { RefusedError, type ServiceClient } from "./service-client.ts";

export type { Attempt };

export type JobDetails = Answers["readJob"] & { readonly attempts: readonly Attempt[] };

/** The form of an id that the service makes. */
const WHOLE_ID = /^(?:sync-)?[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}-[a-z]\d+$/u;

/** Maximum pages of jobs that are searched. */
const MOST_PAGES = 1_000;
/** Maximum ids in a message. */
const MOST_SHOWN = 10;

/** @param brief leaves out input and output */
export async function readJob(
  client: ServiceClient,
  jobId: string,
  brief?: "true",
): Promise<JobDetails> {
  const job = await client.call("readJob", { jobId, brief });
  return { ...job, attempts: job.attempts ?? [] };
}

/** @throws RefusedError when there is no such job, or several; UsageError when the command names none */
export async function findJob({ client, subject, flags }: CommandCall): Promise<string> {
  const { last } = flags;
  if ((subject === undefined) === (last === undefined))
    throw new UsageError("which job? Give its id, the end of it in the log, or --last");
  return subject === undefined ? newest(client, last === "failed") : jobIdOf(client, subject);
}

/** The whole id that begins or ends with `given`; `given` itself if no job has such an id. @throws RefusedError */
export async function jobIdOf(client: ServiceClient, given: string): Promise<string> {
  const part = partOf(given);
  if (WHOLE_ID.test(part)) return part;
  const found = await idsWith(client, part);
  const [first = part, ...others] = found;
  if (others.length === 0 || found.includes(part)) return others.length === 0 ? first : part;
  const shown = found.slice(0, MOST_SHOWN).map((id) => `\n  ${id}`);
  const more = found.length > shown.length ? "\n  …" : "";
  throw new RefusedError(
    `"${given}" may be any of ${found.length} jobs; give more of the id:${shown.join("")}${more}`,
  );
}

/** The part of an id without the ellipsis that the log puts before it. */
export function partOf(given: string): string {
  return given.startsWith("…") ? given.slice(1) : given;
}

/** Whether the id begins or ends with `part`. */
export function isPartOf(part: string, id: string): boolean {
  return id.startsWith(part) || id.startsWith(`sync-${part}`) || id.endsWith(part);
}

/** Existing jobs, the newest first, then deleted ones that are still reported. */
async function idsWith(client: ServiceClient, search: string): Promise<readonly string[]> {
  const query = { search, limit: "100" };
  const there = await Array.fromAsync(jobsOf(client, query));
  const { jobs: deleted } = await client.call("listDeletedJobs", query);
  const ids = [...there, ...deleted].map(({ id }) => id);
  return [...new Set(ids)].filter((id) => isPartOf(search, id));
}

async function newest(client: ServiceClient, hasFailed: boolean): Promise<string> {
  const status = hasFailed ? "FAILED,TIMED_OUT" : undefined;
  const there = await jobsOf(client, { limit: "1", status }).next();
  const { jobs: deleted } = await client.call("listDeletedJobs", { limit: "1" });
  const [last] = [...(there.done === true ? [] : [there.value]), ...deleted].toSorted((a, b) =>
    b.submittedAt.localeCompare(a.submittedAt),
  );
  if (last !== undefined) return last.id;
  throw new RefusedError(hasFailed ? "no job that is still known has failed" : "there is no job");
}

/** All pages. A page may be empty: one question looks at a bounded number of jobs. */
async function* jobsOf(
  client: ServiceClient,
  query: Readonly<Record<string, string | undefined>>,
): AsyncGenerator<Answers["listJobs"]["jobs"][number]> {
  let cursor: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const page: Answers["listJobs"] = await client.call("listJobs", { ...query, cursor });
    yield* page.jobs;
    cursor = page.next;
    if (cursor === undefined) return;
  }
}
