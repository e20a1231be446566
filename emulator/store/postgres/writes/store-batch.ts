/** Stores a batch in one transaction. Statements are sent together, unless one depends on stored data. */
import type { Batch } from "../../batch.ts";
import type { Session, Statement } from "../connect/session.ts";
import { namesBefore } from "../large/dropped-names.ts";
import { bound } from "../values/columns.ts";
import { writeJobs } from "./job-writes.ts";
import { PayloadWrites } from "./payload-writes.ts";
import { type Queues, writeCounts } from "./queues.ts";
import type { Progress } from "./progress.ts";
import { advanceRecords, changesRecords } from "./record-writes.ts";
import { BATCH_NOT_NEXT } from "./refusals.ts";
import { changeGroups, groupStatements } from "./batch-statements.ts";

const BEGIN: Statement = { text: "BEGIN" };
const COMMIT: Statement = { text: "COMMIT" };

export interface Storing {
  readonly session: Session;
  /** Fails unless this replica still owns the partitions of the batch. */
  readonly fence: Statement;
  readonly slot: number;
  readonly line: Progress;
  readonly queues: Queues;
  /** Notifies other replicas of changed records. Undefined for an only replica. */
  readonly tellRecords: Statement | undefined;
  /** Whether payloads may be in a bucket. */
  readonly hasLarge: boolean;
  /** Called before the commit is sent. After that only the database knows whether the batch is stored. */
  readonly committing: () => void;
}

/**
 * Stores the batch. Returns the names of large payloads that may have lost their last row.
 *
 * @throws BatchRefusedError; what `pg` throws. The session may then be in a failed transaction.
 */
export async function storeBatch(batch: Batch, storing: Storing): Promise<readonly string[]> {
  const { session, fence, slot, line, queues, tellRecords, hasLarge, committing } = storing;
  const names = new Set<string>();
  const send = async (statements: readonly Statement[]) => {
    const answers = await session.askAll(statements);
    for (const [at, { rows }] of answers.entries())
      if (statements[at]?.answersNames)
        for (const [name] of rows) if (name !== null) names.add(String(name));
    return answers.at(-1);
  };
  let unsent = [
    BEGIN,
    fence,
    ...advanceRecords(batch),
    advance(slot, line),
    ...writeCounts(batch.counts, queues),
    ...writeJobs(batch.jobs, batch.counts, queues),
  ];
  for (const group of changeGroups(batch.changes)) {
    const named = hasLarge ? namesBefore(group) : undefined;
    if (named !== undefined) unsent.push(named);
    const question = PayloadWrites.question(group);
    const before = question && (await send([...unsent, question]));
    if (before !== undefined) unsent = [];
    unsent.push(...groupStatements(group, before));
  }
  if (tellRecords !== undefined && changesRecords(batch)) unsent.push(tellRecords);
  committing();
  await send([...unsent, COMMIT]);
  return [...names];
}

/** Adds the batch to the line. */
function advance(slot: number, { batch, lastSeq }: Progress): Statement {
  return {
    name: "advance",
    text: `WITH done AS (
        UPDATE writer SET batch = $1, last_seq = $2 WHERE partition = $3 AND batch = $1 - 1 RETURNING 1)
      SELECT refuse('${BATCH_NOT_NEXT}') FROM done HAVING count(*) <> 1`,
    values: [bound(batch), bound(lastSeq), slot],
  };
}
