/**
 * Applies the payload changes of a part of a batch in memory, one after another. Three statements store the result. Stored
 * payloads are read first if a change depends on them.
 */
import type { Change } from "../../batch.ts";
import type { Payload, PayloadSlot } from "../../payload.ts";
import { type Columns, namesOf } from "../../rows/columns.ts";
import { placeOf, SLOTS, storedBody } from "../../rows/payload-columns.ts";
import type { Answer, Statement } from "../connect/session.ts";
import { arraysOf, listOf, type Sent, unnested } from "../values/columns.ts";
import { PAYLOAD_NOT_STORED } from "./refusals.ts";
import { rowStatement } from "./row-statement.ts";

export const PAYLOAD = {
  place: "integer",
  body: "bytes",
  name: "json",
  size_bytes: "integer",
  content_checksum: "integer",
} as const satisfies Columns;

const COPIED = { place: "integer", source: "integer" } as const satisfies Columns;
const PLACE = { place: "integer" } as const satisfies Columns;
const INSERT = `INSERT INTO payload (${namesOf(PAYLOAD)})`;
const REPLACE = `ON CONFLICT (place) DO UPDATE SET body = excluded.body, name = excluded.name,
  size_bytes = excluded.size_bytes, content_checksum = excluded.content_checksum`;
const PUT = `${INSERT} SELECT * FROM ${unnested(PAYLOAD)} ${REPLACE}`;
const COPY = `WITH done AS (
      ${INSERT} SELECT u.place, p.body, p.name, p.size_bytes, p.content_checksum
        FROM ${unnested(COPIED)} AS u (place, source) JOIN payload p ON p.place = u.source
      ${REPLACE} RETURNING 1)
    SELECT refuse('${PAYLOAD_NOT_STORED}') FROM done HAVING count(*) <> $3`;
const REMOVE = "DELETE FROM payload WHERE place = ANY($1::bigint[])";
/** Maximum size of one statement, unless one payload alone is larger. */
const STATEMENT_MAX_BYTES = 16_000_000;

/** The new content of a changed place. */
type Touched =
  | { readonly kind: "new"; readonly payload: Payload; readonly sizeBytes: number }
  | { readonly kind: "copy"; readonly of: number; readonly sizeBytes: number }
  | { readonly kind: "gone" };

type PayloadChange = Extract<
  Change,
  { readonly type: `${"put" | "remove" | "share"}-payload` | "delete-job" }
>;

export class PayloadWrites {
  readonly #touched = new Map<number, Touched>();
  /** Sizes of the stored payloads at the places that `question` asked for. */
  readonly #stored: ReadonlyMap<number, number>;

  /** Makes the query for stored payloads that the changes depend on. Returns undefined if there are none. */
  static question(changes: readonly Change[]): Statement | undefined {
    const places = new Set<number>();
    const known = new Set<number>();
    const ask = (place: number) => known.has(place) || places.add(place);
    for (const made of changes) {
      if (made.type === "put-payload" || made.type === "remove-payload")
        known.add(placeOf(made.seq, made.slot));
      else if (made.type === "delete-job")
        for (const place of placesOf(made.job.seq)) known.add(place);
      else if (made.type === "insert-delivery") placesOf(made.delivery.seq).forEach(ask);
      else if (made.type === "share-payload")
        [placeOf(made.seq, made.slot), placeOf(made.toSeq, made.slot)].forEach(ask);
    }
    if (places.size === 0) return undefined;
    return {
      name: "payloads-before",
      text: "SELECT place, size_bytes FROM payload WHERE place = ANY($1::bigint[])",
      values: [listOf("integer", [...places])],
    };
  }

  constructor(before: Answer | undefined) {
    this.#stored = new Map(
      before?.rows.map(([place, sizeBytes]) => [Number(place), Number(sizeBytes)]),
    );
  }

  make(made: PayloadChange): void {
    if (made.type === "put-payload")
      this.#touched.set(placeOf(made.seq, made.slot), {
        kind: "new",
        payload: made.payload,
        sizeBytes: sizeOf(made.payload),
      });
    else if (made.type === "remove-payload")
      this.#touched.set(placeOf(made.seq, made.slot), { kind: "gone" });
    else if (made.type === "share-payload") this.#share(made.seq, made.slot, made.toSeq);
    else if (made.type === "delete-job")
      for (const place of placesOf(made.job.seq)) this.#touched.set(place, { kind: "gone" });
  }

  /** Size of all payloads under the key, in bytes. */
  sizeOf(seq: number): number {
    return placesOf(seq).reduce((sum, place) => sum + this.#sizeAt(place), 0);
  }

  statements(): readonly Statement[] {
    const copies: number[][] = [];
    const gone: number[][] = [];
    const added: [number, Payload][] = [];
    for (const [place, touched] of this.#touched) {
      if (touched.kind === "gone") gone.push([place]);
      else if (touched.kind === "new") added.push([place, touched.payload]);
      else copies.push([place, touched.of]);
    }
    // Copies come first, because later statements change their sources.
    return [
      ...rowStatement("copy-payloads", COPY, COPIED, copies, true),
      ...rowStatement("remove-payloads", REMOVE, PLACE, gone),
      ...inSteps(added).map(putStatement),
    ];
  }

  #share(seq: number, slot: PayloadSlot, toSeq: number): void {
    const [from, to] = [placeOf(seq, slot), placeOf(toSeq, slot)];
    const touched = this.#touched.get(from);
    const sizeBytes = this.#stored.get(from);
    if (touched !== undefined && touched.kind !== "gone") this.#touched.set(to, touched);
    else if (touched === undefined && sizeBytes !== undefined && from !== to)
      this.#touched.set(to, { kind: "copy", of: from, sizeBytes });
  }

  #sizeAt(place: number): number {
    const touched = this.#touched.get(place);
    if (touched === undefined) return this.#stored.get(place) ?? 0;
    return touched.kind === "gone" ? 0 : touched.sizeBytes;
  }
}

function placesOf(seq: number): readonly number[] {
  return SLOTS.map((slot) => placeOf(seq, slot));
}

function sizeOf(payload: Payload): number {
  return payload.kind === "inline" ? payload.bytes.byteLength : payload.sizeBytes;
}

function putStatement(payloads: readonly [place: number, payload: Payload][]): Statement {
  const rows = payloads.map(([place, payload]): Sent[] => {
    const { body, sizeBytes, checksum } = storedBody(payload);
    const [inline, name] = typeof body === "string" ? [null, body] : [body, null];
    return [place, inline, name, sizeBytes, checksum];
  });
  return { name: "put-payloads", text: PUT, values: arraysOf(PAYLOAD, rows) };
}

/** Groups of payloads, one for each statement. */
function inSteps(payloads: readonly [number, Payload][]): [number, Payload][][] {
  const steps: [number, Payload][][] = [];
  let room = 0;
  for (const each of payloads) {
    const [, payload] = each;
    const sizeBytes = payload.kind === "inline" ? payload.bytes.byteLength : 0;
    if (steps.length === 0 || sizeBytes > room) {
      steps.push([]);
      room = STATEMENT_MAX_BYTES;
    }
    steps.at(-1)?.push(each);
    room -= sizeBytes;
  }
  return steps;
}
