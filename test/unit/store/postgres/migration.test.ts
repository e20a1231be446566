/** A database of an earlier version of the schema becomes one of this version, with all that is in it. */
import { describe, expect, it } from "vitest";
import { StoreInUseError } from "../../../../emulator/core/store-error.ts";
import { FIRST_SCHEMA } from "../../../../emulator/store/postgres/migrations/0001-first.ts";
import { endpointRecord } from "../../../contract/store/endpoint-record.ts";
import { openIn } from "../../../contract/store/postgres-subject.ts";
import { handedOver, Owner, usageOf } from "../../../contract/store/subject.ts";
import { postgresIsMissing } from "../../../setup/postgres.ts";
import { SOON, testDatabase } from "./database.ts";

/** The same rows in the tables of the first schema. */
const COPIED = `
  INSERT INTO writer SELECT * FROM newer.writer;
  INSERT INTO queue SELECT * FROM newer.queue;
  INSERT INTO job SELECT * FROM newer.job;
  INSERT INTO record SELECT kind, id, json, checksum, 0, 7 FROM newer.record;
  INSERT INTO delivery SELECT * FROM newer.delivery;`;

describe.skipIf(postgresIsMissing !== undefined)("a database of the first schema", () => {
  it("that an emulator of then uses is refused; when that is gone it is brought up to date, and that one writes no more", async () => {
    await using database = await testDatabase();
    const owner = await database.open();
    const job = await owner.insert();
    const running = await owner.replace(job, handedOver(job));
    await owner.change(
      owner.deliveryOf(running).insert,
      { type: "put-record", kind: "endpoint", id: "e", record: endpointRecord("e") },
      { type: "put-record", kind: "usage", id: "u", record: usageOf("u") },
    );
    const booted = await owner.store.boot();
    await owner.store.close();
    const { admin } = database;
    await admin.query("ALTER SCHEMA sv_runtime RENAME TO newer; CREATE SCHEMA sv_runtime");
    await admin.query(`CREATE TABLE migration (
      version integer PRIMARY KEY, made_at timestamptz NOT NULL DEFAULT now())`);
    await admin.query(`${FIRST_SCHEMA}; INSERT INTO migration VALUES (1); ${COPIED}`);
    await admin.query(
      "UPDATE owner SET replica = 'the old one', epoch = 5, until = now() + interval '1 hour'",
    );
    const refused = openIn(database.url, { times: { ...SOON, lease: 100 } });
    await expect(refused).rejects.toBeInstanceOf(StoreInUseError);
    await expect(refused).rejects.toThrow("in use by another emulator (the old one)");
    await admin.query("UPDATE owner SET until = now()");
    const upgraded = await Owner.of((await database.open()).store);
    // That is what its next batch would be fenced by.
    const { rows } = await admin.query("SELECT 1 FROM owner WHERE epoch = 5");
    expect(rows).toEqual([]);
    const { recordsVersion: _, ...now } = await upgraded.store.boot();
    const { recordsVersion: __, ...then } = booted;
    expect(now).toEqual(then);
    expect(await upgraded.store.usage()).toEqual([usageOf("u")]);
    expect(await upgraded.store.deliveries.list({}, 9)).toHaveLength(1);
    await upgraded.insert();
  });
});
