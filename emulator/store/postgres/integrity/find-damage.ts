/**
 * Looks through all rows, a few at a time and with pauses as long as each look, so that whoever uses the store does not notice.
 * Payloads outside of the database are compared when they are read.
 */
import { Buffer } from "node:buffer";
import { setTimeout as delay } from "node:timers/promises";
import type { Row } from "../../../sqlite/row.ts";
import { type PayloadDamage, PayloadDamagedError, type PayloadPlace } from "../../payload.ts";
import { fits, rowDamaged } from "../../rows/checked-row.ts";
import { PLACES_PER_JOB, slotAt, type StoredBody } from "../../rows/payload-columns.ts";
import type { Session } from "../connect/session.ts";
import type { Pages } from "../options.ts";
import { bound, type Columns, namesOf, rowReader } from "../values/columns.ts";
import { bytesToText } from "../values/stored-text.ts";
import { compared, readChunk, readPayload } from "../reads/payload-reads.ts";
import { CHUNK } from "../writes/chunk-writes.ts";
import { DELIVERY, FRAME } from "../writes/delivery-writes.ts";
import { JOB } from "../writes/job-writes.ts";
import { PAYLOAD } from "../writes/payload-writes.ts";
import { QUEUE } from "../writes/queues.ts";
import { RECORD } from "../writes/record-writes.ts";
import { REPORT } from "../writes/report-writes.ts";

type Ask = <T>(question: (session: Session) => Promise<T>) => Promise<T>;

/** The tables whose rows have their checksum last, and by which columns they are gone through. */
const TABLES: readonly (readonly [table: string, columns: Columns, key: readonly string[]])[] = [
  ["queue", QUEUE, ["queue"]],
  ["job", JOB, ["seq"]],
  ["record", RECORD, ["kind", "id"]],
  ["delivery", DELIVERY, ["seq"]],
  ["delivery", FRAME, ["seq"]],
  ["report", REPORT, ["seq"]],
];

/** @throws StoreDamagedError when a row does not fit its checksum; ends early, with nothing, when the signal is given */
export async function findDamage(
  ask: Ask,
  pages: Pick<Pages, "checked" | "checkedBodies">,
  signal: AbortSignal,
): Promise<readonly PayloadDamage[]> {
  for (const [table, columns, key] of TABLES)
    for await (const row of rowsOf(ask, table, columns, key, pages.checked, signal))
      if (!fits(row)) throw rowDamaged(table);
  const found: PayloadDamage[] = [];
  for await (const row of rowsOf(ask, "payload", PAYLOAD, ["place"], pages.checkedBodies, signal)) {
    const at = Number(row[0]);
    const place = { seq: Math.floor(at / PLACES_PER_JOB), slot: slotAt(at) };
    await note(found, ask, readPayload(row), place);
  }
  const keys = ["seq", "first_index"];
  for await (const row of rowsOf(ask, "chunk_batch", CHUNK, keys, pages.checkedBodies, signal))
    await note(found, ask, readChunk(row), { seq: Number(row[0]), slot: "chunks" });
  return signal.aborted ? [] : found;
}

async function note(found: PayloadDamage[], ask: Ask, stored: StoredBody, place: PayloadPlace) {
  if (compared(stored).body !== undefined) return;
  const { checksum } = stored;
  const { rows } = await ask((session) =>
    session.ask({ text: "SELECT id FROM job WHERE seq = $1", values: [bound(place.seq)] }),
  );
  const id = rows[0]?.[0];
  found.push({
    damage: new PayloadDamagedError(place, "is damaged: it does not fit its checksum", {
      checksum,
    }),
    jobId: id instanceof Buffer ? bytesToText(id) : undefined,
  });
}

/** All rows that are there all the while, in the order of their keys. */
async function* rowsOf(
  ask: Ask,
  table: string,
  columns: Columns,
  key: readonly string[],
  atOnce: number,
  signal: AbortSignal,
): AsyncGenerator<Row, void, undefined> {
  const read = rowReader(columns);
  const keys = key.join(", ");
  const select = `SELECT ${namesOf(columns)}, ${keys} FROM ${table}`;
  const places = key.map((_, at) => `$${at + 1}`).join(", ");
  const width = Object.keys(columns).length;
  for (let after: readonly unknown[] = []; !signal.aborted;) {
    const where = after.length === 0 ? "" : `WHERE (${keys}) > (${places})`;
    const text = `${select} ${where} ORDER BY ${keys} LIMIT ${atOnce}`;
    const startedAt = performance.now();
    const { rows } = await ask((session) => session.ask({ text, values: after }));
    for (const row of rows) yield read(row.slice(0, width));
    const last = rows.at(-1);
    if (last === undefined || rows.length < atOnce) return;
    after = last.slice(width);
    await delay(performance.now() - startedAt, undefined, { ref: false });
  }
}
