/** What is read is compared with its checksum: rows, payloads in rows and in files, chunks. */
import fs from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { migrate } from "../../../../emulator/sqlite/migrate.ts";
import { FIRST_SCHEMA } from "../../../../emulator/store/sqlite/migrations/0001-first.ts";
import { OVERRUN_SCHEMA } from "../../../../emulator/store/sqlite/migrations/0002-overrun.ts";
import { CHUNK_BATCHES } from "../../../../emulator/store/sqlite/migrations/0003-chunk-batches.ts";
import { DELIVERIES } from "../../../../emulator/store/sqlite/migrations/0004-deliveries.ts";
import { REQUESTS_SCHEMA } from "../../../../emulator/store/sqlite/migrations/0005-requests.ts";
import { TRACEPARENT_SCHEMA } from "../../../../emulator/store/sqlite/migrations/0006-traceparent.ts";
import { openSqliteStore } from "../../../../emulator/store/sqlite/sqlite-store.ts";
import { PayloadDamagedError, type Store } from "../../../../emulator/store/store.ts";
import { StoreDamagedError } from "../../../../emulator/core/store-error.ts";
import { batch, bytesAt, insertNew, pattern, textOf } from "../../../contract/store/subject.ts";
import { temporaryDirectory } from "../../../setup/temporary-directory.ts";
import { change } from "./left-behind.ts";

const WINDOW = { from: 0, maxCount: 9, maxBytes: 9_999_999 };

/** A closed directory with one job that has everything in rows and in files. */
async function oneJob() {
  const temporary = temporaryDirectory();
  const directory = temporary.path;
  const store = await openSqliteStore({ directory });
  const [large, lines] = [await store.stage(pattern(600_000)), await store.stage(pattern(300_000))];
  const job = await store.transact(async (tx) => {
    const inserted = await insertNew(tx);
    await tx.putPayload(inserted.seq, "input", { kind: "inline", bytes: pattern(200) });
    await tx.putPayload(inserted.seq, "output", large);
    await tx.appendChunks(inserted.seq, batch(0, "one", "two"));
    await tx.appendChunks(inserted.seq, { firstIndex: 2, count: 1, lines });
    return inserted;
  });
  await store.close();
  const nameOf = (payload: typeof large) => (payload.kind === "file" ? payload.name : "");
  const fileOf = (payload: typeof large) => `${directory}/payloads/${nameOf(payload)}`;
  return {
    job,
    directory,
    output: fileOf(large),
    lines: fileOf(lines),
    /** Changes the closed database. */
    sql(text: string) {
      using db = new DatabaseSync(`${directory}/store.db`);
      db.exec(text);
    },
    async read<T>(ask: (store: Store) => Promise<T>): Promise<T> {
      const opened = await openSqliteStore({ directory });
      try {
        return await ask(opened);
      } finally {
        await opened.close();
      }
    },
    [Symbol.dispose]: () => temporary[Symbol.dispose](),
  };
}

describe("a payload that is not what was stored is refused", () => {
  it("in its row", async () => {
    using left = await oneJob();
    left.sql(
      `UPDATE payload SET body = CAST(x'00' || substr(body, 2) AS BLOB) WHERE place % 4 = 0`,
    );
    const reading = left.read((store) =>
      store.read((view) => bytesAt(view, left.job.seq, "input")),
    );
    await expect(reading).rejects.toBeInstanceOf(PayloadDamagedError);
    await expect(reading).rejects.toMatchObject({ place: { seq: left.job.seq, slot: "input" } });
    await expect(reading).rejects.toThrow("the input is damaged");
  });

  it.each([
    ["changed", (file: string) => change(file, 500_000, 1), "does not fit its checksum"],
    ["cut", (file: string) => fs.truncateSync(file, 1_000), "is too short"],
    ["taken away", (file: string) => fs.rmSync(file), "the output is missing"],
  ])(
    "in a file that was %s, before the first byte of it is given out",
    async (_, harm, sentence) => {
      using left = await oneJob();
      harm(left.output);
      for (const how of ["bytes", "open"] as const) {
        const reading = left.read((store) =>
          store.read(async (view) => (await view.payload(left.job.seq, "output"))?.[how]()),
        );
        await expect(reading).rejects.toBeInstanceOf(PayloadDamagedError);
        await expect(reading).rejects.toThrow(sentence);
      }
    },
  );

  it("among chunks, in rows and in files", async () => {
    using rows = await oneJob();
    rows.sql(
      `UPDATE chunk_batch SET body = CAST(x'00' || substr(body, 2) AS BLOB) WHERE first_index = 0`,
    );
    using file = await oneJob();
    change(file.lines, 7, 1);
    for (const left of [rows, file]) {
      const reading = left.read((store) => store.read((view) => view.chunks(left.job.seq, WINDOW)));
      await expect(reading).rejects.toBeInstanceOf(PayloadDamagedError);
      await expect(reading).rejects.toThrow("the stream is damaged");
    }
  });
});

describe("after a row was found damaged the store does nothing more", () => {
  it.each([
    ["job", "UPDATE job SET webhook = 'x'"],
    ["payload", "UPDATE payload SET place = place + 400"],
    ["payload", "UPDATE payload SET content_checksum = content_checksum + 1"],
    ["chunk_batch", "UPDATE chunk_batch SET count = count + 1 WHERE first_index = 0"],
    ["record", "UPDATE record SET json = '{}'"],
  ])("the table %s: %s", async (table, harm) => {
    using left = await oneJob();
    await left.read((store) => store.transact((tx) => tx.putRecord("clock", "a", { offsetMs: 1 })));
    left.sql(harm);
    await left.read(async (store) => {
      const reading = store.read(async (view) => {
        await view.job(left.job.id);
        await view.payload(left.job.seq, "input");
        await view.payload(left.job.seq + 100, "input");
        await view.chunks(left.job.seq, WINDOW);
        await view.records("clock");
      });
      await expect(reading).rejects.toBeInstanceOf(StoreDamagedError);
      await expect(reading).rejects.toThrow(`a row of the table ${table}`);
      const later = store.transact((tx) => insertNew(tx));
      await expect(later).rejects.toBeInstanceOf(StoreDamagedError);
      await expect(later).rejects.toThrow("sv-emulate repair");
    });
  });

  it.each(["UPDATE queue SET retried = 7", "UPDATE sequence SET reserved_seq = 9"])(
    "or does not even open: %s",
    async (harm) => {
      using left = await oneJob();
      left.sql(harm);
      await expect(left.read(async () => undefined)).rejects.toBeInstanceOf(StoreDamagedError);
    },
  );
});

it("what an earlier schema stored gets its checksums once, and is checked from then on", async () => {
  using temporary = temporaryDirectory();
  const directory = temporary.path;
  fs.mkdirSync(`${directory}/payloads`);
  const name = "0190a3b1-2c4d-4e6f-8a9b-0c1d2e3f4a5b";
  const file = `${directory}/payloads/${name}`;
  fs.writeFileSync(file, pattern(300_000));
  const old = new DatabaseSync(`${directory}/store.db`);
  migrate(old, `${directory}/store.db`, [
    ...[FIRST_SCHEMA, OVERRUN_SCHEMA, CHUNK_BATCHES, DELIVERIES, REQUESTS_SCHEMA],
    TRACEPARENT_SCHEMA,
  ]);
  old.exec(`INSERT INTO queue VALUES (1, 'hello', 1, 0, 0, 0, 0, 0, 0);
    INSERT INTO job VALUES (5, 'ä', 1, 0, 0, 5, 1, 1, NULL, NULL, NULL, NULL, 600000, 9, 0, 9, 0, NULL, 0, 0, 0, 0, NULL, NULL,
      NULL, NULL, NULL, 0, 0, 9, NULL, NULL);
    INSERT INTO payload VALUES (20, '${name}'), (21, x'7b7d');
    INSERT INTO chunk_batch VALUES (5, 0, 1, 100, '${name}', 200);
    INSERT INTO record VALUES ('template', 'b', '{}');
    INSERT INTO delivery VALUES (8, 'd', 'ä', 'hello', 'COMPLETED', 'http://a', 'http://a', 1, 1, NULL, 2, 3, 4, '[]', NULL,
      'head', 'tail', NULL);`);
  old.close();
  for (let round = 0; round < 2; round += 1) {
    const store = await openSqliteStore({ directory });
    await store.read(async (view) => {
      expect(await view.job("ä")).toMatchObject({ seq: 5, status: "IN_QUEUE" });
      expect(await bytesAt(view, 5, "input")).toEqual(pattern(300_000));
      expect(textOf(await bytesAt(view, 5, "output"))).toBe("{}");
      expect(await view.chunks(5, WINDOW)).toHaveLength(1);
      expect(await view.deliveries.byId("d")).toMatchObject({ state: "delivered" });
      expect(await view.deliveries.frame(8)).toEqual({ head: "head", tail: "tail" });
      expect(await view.record("template", "b")).toEqual({});
    });
    await store.close();
  }
  change(file, 9, 1);
  const store = await openSqliteStore({ directory });
  await expect(store.read((view) => bytesAt(view, 5, "input"))).rejects.toThrow("is damaged");
  await store.close();
});
