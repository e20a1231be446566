/** The changes of steps as data, and the contents of a batch. */
import type { JobCounts } from "../../core/jobs/job-counts.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { Batch, Change } from "../../store/batch.ts";
import type { RecordKind } from "../../store/records.ts";

export type StepChange =
  | Exclude<Change, { readonly type: "delete-job" }>
  /** `row` is the row as earlier steps leave it; undefined stands for a job that does not exist. */
  | {
      readonly type: "job";
      readonly job: Job;
      readonly row: Job | undefined;
      readonly after: Job | undefined;
    }
  /** In memory alone. */
  | { readonly type: "job-in-memory"; readonly job: Job };

/** A place of memory: the id of an endpoint for its queue and counters, the id of a job, or a name of `resting-steps.ts`. */
export type Place = string;

/** The place that stands for all places. A step that reads it rests on every change. */
export const ANYWHERE: Place = "";

export function placeOfRecord(kind: RecordKind, id: string): Place {
  return `${kind}/${id}`;
}

export function placeOfRecords(kind: RecordKind): Place {
  return `${kind}/`;
}

/** A step, or an onlooker, which only reads. */
export interface Changer {
  readonly changes: readonly StepChange[];
  /** The places of memory that it read, besides the places that it changes; may contain duplicates. */
  readonly looked: readonly Place[];
}

/** A batch that has no number yet. */
export type Contents = Omit<Batch, "number">;

/** Contains each row once, in its final state. @param countsOf the counters of an endpoint after these changes */
export function contentsOf(
  steps: readonly Pick<Changer, "changes">[],
  lastSeq: number,
  countsOf: (endpointId: string) => JobCounts,
): Contents {
  const rows = new Map<
    number,
    { readonly before: Job | undefined; readonly after: Job | undefined }
  >();
  const changes: Change[] = [];
  const counts = new Map<string, JobCounts>();
  for (const step of steps)
    for (const change of step.changes) {
      if (change.type === "job") {
        const { job, row, after } = change;
        const earlier = rows.get(job.seq);
        const before = earlier ? earlier.before : row;
        rows.set(job.seq, { before, after });
        counts.set(job.endpointId, countsOf(job.endpointId));
        // The store's row is deleted.
        if (after === undefined) changes.push({ type: "delete-job", job: before ?? job });
      } else if (change.type !== "job-in-memory") changes.push(change);
    }
  const jobs: { readonly before: Job | undefined; readonly after: Job }[] = [];
  // Rows that were added and deleted within the batch were never stored.
  const never = new Set<number>();
  for (const [seq, { before, after }] of rows) {
    if (after) jobs.push({ before, after });
    else if (!before) never.add(seq);
  }
  return {
    lastSeq,
    jobs,
    changes: never.size === 0 ? changes : changes.filter((change) => !never.has(seqOf(change))),
    counts,
  };
}

/** Total size of the payloads outside files, bytes. */
export function bytesOf({ changes }: Pick<Changer, "changes">): number {
  let bytes = 0;
  for (const change of changes) {
    const payload =
      change.type === "append-chunks" ? change.batch.lines : "payload" in change && change.payload;
    if (payload && payload.kind === "inline") bytes += payload.bytes.byteLength;
  }
  return bytes;
}

/** Whether the step changes records other than usage records, which no step reads. */
export function changesRecords({
  changes,
}: {
  readonly changes: readonly (Change | StepChange)[];
}): boolean {
  return changes.some(
    (change) =>
      (change.type === "put-record" || change.type === "delete-record") && change.kind !== "usage",
  );
}

/** Whether the step changes anything of a selected endpoint besides its record. */
export function concerns(
  { changes }: Pick<Changer, "changes">,
  isMeant: (endpointId: string) => boolean,
): boolean {
  return changes.some((change) => {
    const endpointId = endpointOf(change);
    return endpointId !== undefined && isMeant(endpointId);
  });
}

/** The endpoint whose jobs the change concerns. Undefined for other changes. */
export function endpointOf(change: StepChange): string | undefined {
  if ("endpointId" in change) return change.endpointId;
  if ("job" in change) return change.job.endpointId;
  if ("report" in change) return change.report.job.endpointId;
  if ("delivery" in change) return change.delivery.endpointId;
  return undefined;
}

/** The key of the changed job or delivery. */
function seqOf(change: Change | StepChange): number {
  if ("seq" in change) return change.seq;
  if ("job" in change) return change.job.seq;
  if ("report" in change) return change.report.job.seq;
  return "delivery" in change ? change.delivery.seq : -1;
}
