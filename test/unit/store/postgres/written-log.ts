/** Records the replica and the epoch of each inserted job, and finds traces of two owners at once. */
import type pg from "pg";

export interface Written {
  readonly partition: number;
  readonly epoch: number;
  /** The replica that stored it, and the owner of the partition in the database. */
  readonly writer: string;
  readonly owner: string | null;
}

/** Call this before anything is stored. */
export async function logWrites(admin: pg.Client): Promise<void> {
  await admin.query(`
    CREATE TABLE written (at bigserial PRIMARY KEY, partition integer, epoch bigint, writer text, owner text);
    CREATE FUNCTION note_written() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      INSERT INTO written (partition, epoch, writer, owner)
        SELECT partition, epoch, replace(current_setting('application_name'), 'sv-runtime ', ''), replica
          FROM owner WHERE partition = NEW.queue & 63;
      RETURN NEW;
    END $body$;
    CREATE TRIGGER note_written AFTER INSERT ON job FOR EACH ROW EXECUTE FUNCTION note_written();`);
}

export async function writtenIn(admin: pg.Client): Promise<readonly Written[]> {
  const { rows } = await admin.query<Record<keyof Written, string>>(
    "SELECT partition, epoch, writer, owner FROM written ORDER BY at",
  );
  return rows.map((row) => ({
    ...row,
    partition: Number(row.partition),
    epoch: Number(row.epoch),
  }));
}

/** Messages about violations. */
export function faultsIn(log: readonly Written[]): readonly string[] {
  const faults: string[] = [];
  const latest = new Map<number, Written>();
  for (const written of log) {
    const { partition, epoch, writer, owner } = written;
    if (writer !== owner) faults.push(`${writer} wrote partition ${partition}, which ${owner} has`);
    const before = latest.get(partition);
    if (before !== undefined && before.epoch > epoch)
      faults.push(`partition ${partition} was written under epoch ${epoch} after ${before.epoch}`);
    if (before?.epoch === epoch && before.writer !== writer)
      faults.push(
        `${writer} and ${before.writer} wrote partition ${partition} under epoch ${epoch}`,
      );
    latest.set(partition, written);
  }
  return faults;
}

/** Endpoints with counters that do not match their jobs: a batch based on outdated data was stored. */
export async function miscounted(admin: pg.Client): Promise<readonly object[]> {
  const { rows } = await admin.query<{ readonly queue: number }>(
    `SELECT * FROM (SELECT queue, in_queue, (SELECT count(*) FROM job WHERE job.queue = queue.queue) AS jobs FROM queue) AS counted
      WHERE in_queue <> jobs`,
  );
  return rows;
}
