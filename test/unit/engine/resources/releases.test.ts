/** Releases of endpoints: created whenever a version grows, and stored. */
import { expect, it } from "vitest";
import { Journal } from "../../../../emulator/core/undo-journal.ts";
import type { Endpoint } from "../../../../emulator/core/resources/endpoints/endpoint.ts";
import type { RecordKind } from "../../../../emulator/store/records.ts";
import { RecordBook } from "../../../../emulator/engine/steps/state/record-book.ts";
import { listReleases } from "../../../../emulator/engine/resources/endpoints/put-endpoint.ts";
import { updateEndpoint } from "../../../../emulator/engine/resources/endpoints/update-endpoint.ts";
import { releaseHandler } from "../../../../emulator/engine/workers/release-handler.ts";
import { openSqliteStore } from "../../../../emulator/store/sqlite/sqlite-store.ts";
import { temporaryDirectory } from "../../../setup/temporary-directory.ts";
import { createTestEngine } from "../../engine-harness.ts";

it("releases survive a restart, and continue with the next version", async () => {
  using directory = temporaryDirectory();
  const store = () => openSqliteStore({ directory: directory.path });
  const before = await createTestEngine(await store());
  await updateEndpoint(before.engine, "echo", { gpuCount: 2 });
  await before.stop();
  await using after = await createTestEngine(await store());
  await updateEndpoint(after.engine, "echo", { gpuCount: 3 });
  const releases = listReleases(after.engine, "echo");
  expect(releases.map(({ version, diff }) => ({ version, diff }))).toEqual([
    { version: 1, diff: [] },
    { version: 2, diff: [{ field: "gpuCount", old: 1, new: 2 }] },
    { version: 3, diff: [{ field: "gpuCount", old: 2, new: 3 }] },
  ]);
});

it("saving a handler file makes a release without changes of the endpoint", async () => {
  await using test = await createTestEngine();
  await releaseHandler(test.engine, "sv.local/echo", undefined);
  expect(listReleases(test.engine, "echo")).toMatchObject([
    { version: 1, diff: [] },
    { version: 2, diff: [], endpointId: "echo", id: "echo-2" },
  ]);
});

it("records of kinds unknown to this version are ignored when another replica sends them", () => {
  const book = new RecordBook(new Journal());
  const unknown = "release of tomorrow" as RecordKind;
  const record = { id: "a" } as Endpoint;
  const records = [
    { kind: unknown, id: "a", record },
    { kind: "endpoint" as const, id: "a", record },
  ];
  expect(book.learn({ version: 2, records })).toMatchObject([{ kind: "endpoint", id: "a" }]);
  expect(book.version).toBe(2);
});
