/** Finds the job that a command is about: by its id, by an end of it as the log shows it, or as the newest. */
import { UsageError } from "../usage-error.ts";
import { deletedJobsSchema, jobsSchema } from "./answers.ts";
import type { OperationCall } from "./operation-call.ts";
import { RefusedError, type ServiceClient } from "./service-client.ts";

/** As the service makes them. */
const WHOLE_ID = /^(?:sync-)?[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}-[a-z]\d+$/u;

/** Pages of jobs that are looked through. */
const MOST_PAGES = 100;
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
  const query = new URLSearchParams({ search: part, limit: "100" });
  const ids: string[] = [];
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const page = await client.get(`/emulator/jobs?${query.toString()}`, jobsSchema);
    ids.push(...page.jobs.map(({ id }) => id));
    if (page.next === undefined) break;
    query.set("cursor", page.next);
  }
  query.delete("cursor");
  const deleted = await client.get(`/emulator/jobs/deleted?${query.toString()}`, deletedJobsSchema);
  ids.push(...deleted.jobs.map(({ id }) => id));
  return [...new Set(ids)].filter((id) => isPartOf(part, id));
}

async function newest(client: ServiceClient, hasFailed: boolean): Promise<string> {
  const filters = hasFailed ? ["&status=FAILED", "&status=TIMED_OUT"] : [""];
  const lists = await Promise.all([
    ...filters.map((filter) => client.get(`/emulator/jobs?limit=1${filter}`, jobsSchema)),
    client.get("/emulator/jobs/deleted?limit=1", deletedJobsSchema),
  ]);
  const [last] = lists
    .flatMap(({ jobs }) => jobs)
    .toSorted((a, b) => b.submittedAt.localeCompare(a.submittedAt));
  if (last !== undefined) return last.id;
  throw new RefusedError(hasFailed ? "no job that is still known has failed" : "there is no job");
}
