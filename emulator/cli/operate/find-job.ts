/** Finds the job that a command is about: by its id, by an end of it as the log shows it, or as the newest. */
import { UsageError } from "../usage-error.ts";
import { deletedJobsSchema, jobsSchema } from "./answers.ts";
import type { OperationCall } from "./operation-call.ts";
import { RefusedError, type ServiceClient } from "./service-client.ts";

/** As the service makes them. */
const WHOLE_ID = /^(?:sync-)?[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}-[a-z]\d+$/u;

/** Pages of jobs that are looked through. */
const MOST_PAGES = 1_000;
const MOST_SHOWN = 10;

/** @throws RefusedError when there is none, or several may be meant; UsageError when nothing says which */
export async function findJob({ client, subject, flags }: OperationCall): Promise<string> {
  const { last } = flags;
  if ((subject === undefined) === (last === undefined))
    throw new UsageError("say which job: its id, what the log shows of it, or --last");
  return subject === undefined ? newest(client, last === "failed") : jobIdOf(client, subject);
}

/** The whole id of which `given` is the beginning or the end; as given where there is no such job. @throws RefusedError */
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

/** Without what the log puts before the end of an id. */
export function partOf(given: string): string {
  return given.startsWith("…") ? given.slice(1) : given;
}

/** Whether the id begins or ends with `part`. */
export function isPartOf(part: string, id: string): boolean {
  return id.startsWith(part) || id.startsWith(`sync-${part}`) || id.endsWith(part);
}

/** Those of jobs that are there, the newest first, and of those that are deleted and still told of. */
async function idsWith(client: ServiceClient, part: string): Promise<readonly string[]> {
  const query = { search: part, limit: "100" };
  const there = await Array.fromAsync(jobsOf(client, query));
  const { jobs: gone } = await client.get(
    pathOf("/emulator/jobs/deleted", query),
    deletedJobsSchema,
  );
  const ids = [...there, ...gone].map(({ id }) => id);
  return [...new Set(ids)].filter((id) => isPartOf(part, id));
}

async function newest(client: ServiceClient, hasFailed: boolean): Promise<string> {
  const query = { limit: "1", ...(hasFailed && { status: "FAILED,TIMED_OUT" }) };
  const there = await jobsOf(client, query).next();
  const { jobs: gone } = await client.get("/emulator/jobs/deleted?limit=1", deletedJobsSchema);
  const [last] = [...(there.done === true ? [] : [there.value]), ...gone].toSorted((a, b) =>
    b.submittedAt.localeCompare(a.submittedAt),
  );
  if (last !== undefined) return last.id;
  throw new RefusedError(hasFailed ? "no job that is still known has failed" : "there is no job");
}

/** Page by page, each of which may be empty: one question looks at so many jobs only. */
async function* jobsOf(client: ServiceClient, query: Readonly<Record<string, string>>) {
  let next: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const path = pathOf("/emulator/jobs", {
      ...query,
      ...(next !== undefined && { cursor: next }),
    });
    const page = await client.get(path, jobsSchema);
    yield* page.jobs;
    next = page.next;
    if (next === undefined) return;
  }
}

function pathOf(path: string, query: Readonly<Record<string, string>>): string {
  return `${path}?${new URLSearchParams(query).toString()}`;
}
