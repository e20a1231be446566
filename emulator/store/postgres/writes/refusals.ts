/** Explains why a statement of a batch was refused. */
import type { Batch } from "../../batch.ts";
import {
  chunksOutOfOrder,
  deliveryAlreadyStored,
  deliveryNotStored,
  jobAlreadyStored,
  jobNotStored,
} from "../../batch-refusals.ts";
import { isServerError, REFUSED, UNIQUE_VIOLATION } from "../connect/postgres-error.ts";
import type { Session } from "../connect/session.ts";
import { arraysOf, listOf } from "../values/columns.ts";
import { STATUS_NUMBERS } from "../../rows/job-columns.ts";
import { BatchRefusedError, RecordsMovedError } from "../../store.ts";

/** The replica or one of its partitions was lost. */
export const NOT_OWNER = "owner";
export const RECORDS_MOVED = "records";
export const BATCH_NOT_NEXT = "batch";
export const JOB_NOT_STORED = "job";
export const DELIVERY_NOT_STORED = "delivery";
export const PAYLOAD_NOT_STORED = "payload";
/** First word of the refusal of a chunk. The key of the job and the index of the chunk follow. */
export const CHUNK_NOT_NEXT = "chunk";

/** Whether the error means that the batch does not fit the stored data. */
export function isRefusal(error: unknown): boolean {
  return isServerError(error) && (error.code === REFUSED || error.code === UNIQUE_VIOLATION);
}

/** Finds out why the batch does not fit. `session` must not be in a transaction. */
export async function explain(refusal: unknown, batch: Batch, session: Session): Promise<Error> {
  const said = isServerError(refusal) ? (refusal.constraint ?? refusal.message) : "";
  const [what = "", ...numbers] = said.split(" ");
  if (what === RECORDS_MOVED) return new RecordsMovedError();
  if (what === CHUNK_NOT_NEXT) return chunksOutOfOrder(Number(numbers[0]), Number(numbers[1]));
  const known =
    what === JOB_NOT_STORED
      ? await missingJob(batch, session)
      : what.startsWith("job_")
        ? await repeatedJob(batch, session)
        : what.startsWith("delivery")
          ? await wrongDelivery(batch, session, what === DELIVERY_NOT_STORED)
          : undefined;
  return (
    known ??
    new BatchRefusedError(`the batch does not match the stored data: ${said}`, { cause: refusal })
  );
}

async function missingJob({ jobs, changes }: Batch, session: Session) {
  const after = new Map(jobs.map((row) => [row.after.seq, row.after.status]));
  const changed = jobs.flatMap(({ before }) => before ?? []);
  const deleted = changes.flatMap((made) => (made.type === "delete-job" ? [made.job] : []));
  const seqs = [...changed, ...deleted].map(({ seq }) => seq);
  const { rows } = await session.ask({
    text: "SELECT seq, status FROM job WHERE seq = ANY($1::bigint[])",
    values: [listOf("integer", seqs)],
  });
  const stored = new Map(rows.map(([seq, status]) => [seq, status]));
  const seen = new Set<number>();
  const wrong =
    changed.find(({ seq, status }) => stored.get(seq) !== STATUS_NUMBERS[status]) ??
    deleted.find(({ seq, status }) => {
      const known = after.has(seq)
        ? after.get(seq) === status
        : stored.get(seq) === STATUS_NUMBERS[status];
      const isRepeated = seen.has(seq);
      seen.add(seq);
      return !known || isRepeated;
    });
  return wrong && jobNotStored(wrong);
}

async function repeatedJob({ jobs }: Batch, session: Session) {
  const added = jobs.flatMap(({ before, after }) => (before === undefined ? [after] : []));
  const { rows } = await session.ask({
    text: "SELECT seq FROM job WHERE seq = ANY($1::bigint[]) UNION SELECT u.seq FROM unnest($1::bigint[], $2::bytea[]) AS u (seq, id) JOIN job ON job.id = u.id",
    values: arraysOf(
      { seq: "integer", id: "text" },
      added.map(({ seq, id }) => [seq, id]),
    ),
  });
  const known = new Set(rows.map(([seq]) => seq));
  const wrong =
    added.find(({ seq }) => known.has(seq)) ??
    added.findLast(({ seq, id }, at) =>
      added.slice(0, at).some((other) => other.seq === seq || other.id === id),
    );
  return wrong && jobAlreadyStored(wrong);
}

async function wrongDelivery({ changes }: Batch, session: Session, isMissing: boolean) {
  const named = changes.flatMap((made) =>
    made.type === (isMissing ? "replace-delivery" : "insert-delivery") ? [made.delivery] : [],
  );
  const seqs = named.map(({ seq }) => seq);
  const { rows } = await session.ask({
    text: "SELECT seq FROM delivery WHERE seq = ANY($1::bigint[])",
    values: [listOf("integer", seqs)],
  });
  const known = new Set(rows.map(([seq]) => seq));
  const wrong = named.find(({ seq }) => known.has(seq) !== isMissing) ?? named[0];
  return wrong && (isMissing ? deliveryNotStored(wrong.id) : deliveryAlreadyStored(wrong));
}
