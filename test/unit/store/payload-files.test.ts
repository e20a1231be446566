/** Large payloads as files beside the database: when they come, when they go, and what a crash leaves. */
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { PayloadFiles } from "../../../emulator/store/sqlite/files/payload-files.ts";
import { openSqliteStore } from "../../../emulator/store/sqlite/sqlite-store.ts";
import { type Payload, PayloadDamagedError, type Store } from "../../../emulator/store/store.ts";
import { bytesAt, insertNew, pattern } from "../../contract/store/subject.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";

const LARGE = pattern(300_000);

async function storeWithFiles() {
  const directory = temporaryDirectory();
  const store = await openSqliteStore({ directory: directory.path });
  let latest = store;
  const payloads = path.join(directory.path, "payloads");
  return {
    store,
    payloads,
    files: () => fs.readdirSync(payloads).toSorted(),
    async reopen() {
      await latest.close();
      latest = await openSqliteStore({ directory: directory.path });
      return latest;
    },
    /** Closing waits until files that are no longer needed have been removed. */
    close: () => latest.close(),
    async [Symbol.asyncDispose]() {
      await latest.close();
      directory[Symbol.dispose]();
    },
  };
}

async function insertWithInput(store: Store, bytes: Uint8Array) {
  const payload = await store.stage(bytes);
  return store.transact(async (tx) => {
    const job = await insertNew(tx);
    await tx.putPayload(job.seq, "input", payload);
    return job;
  });
}

it("a payload becomes a file, readable for its owner only, from 256 kB on", async () => {
  await using beside = await storeWithFiles();
  expect(await beside.store.stage(pattern(255_999))).toMatchObject({ kind: "inline" });
  expect(beside.files()).toEqual([]);
  const staged = await beside.store.stage(pattern(256_000));
  expect(staged).toMatchObject({ kind: "file", sizeBytes: 256_000 });
  const [name = ""] = beside.files();
  const file = path.join(beside.payloads, name);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(fs.readFileSync(file).equals(pattern(256_000))).toBe(true);
});

it("a file goes with the job, the slot, the chunks or the value that referred to it", async () => {
  await using beside = await storeWithFiles();
  const { store } = beside;
  const [a, b, c] = [
    await insertWithInput(store, LARGE),
    await insertWithInput(store, LARGE),
    await insertWithInput(store, LARGE),
  ];
  const [lines, replacement] = [await store.stage(LARGE), await store.stage(LARGE)];
  await store.transact((tx) => tx.appendChunks(c.seq, { firstIndex: 0, count: 1, lines }));
  expect(beside.files()).toHaveLength(5);
  await store.transact(async (tx) => {
    await tx.deleteJob(a);
    await tx.removePayload(b.seq, "input");
    await tx.putPayload(c.seq, "input", replacement);
    await tx.removeChunks(c.seq);
  });
  await beside.close();
  expect(beside.files()).toEqual([replacement.kind === "file" ? replacement.name : ""]);
});

it("a file stays when the step that dropped it throws", async () => {
  await using beside = await storeWithFiles();
  const job = await insertWithInput(beside.store, LARGE);
  const refused = beside.store.transact(async (tx) => {
    await tx.deleteJob(job);
    throw new Error("refused");
  });
  await expect(refused).rejects.toThrow("refused");
  const store = await beside.reopen();
  const stored = await store.read((view) => bytesAt(view, job.seq, "input"));
  expect(LARGE.equals(stored ?? Buffer.alloc(0))).toBe(true);
});

it("a payload that is discarded loses its file at once, one that is stored keeps it", async () => {
  await using beside = await storeWithFiles();
  const { store } = beside;
  const [unused, used] = [await store.stage(LARGE), await store.stage(LARGE)];
  await store.transact(async (tx) => tx.putPayload((await insertNew(tx)).seq, "input", used));
  await store.discard(unused);
  await store.discard(used);
  expect(beside.files()).toEqual([used.kind === "file" ? used.name : ""]);
});

it("chunks staged together share a file, which stays as long as one of them is stored", async () => {
  await using beside = await storeWithFiles();
  const { store } = beside;
  const parts = [LARGE, Buffer.from("small\n"), LARGE];
  const [first, second, third] = await store.stageChunks(parts);
  const unused = await store.stageChunks([LARGE, LARGE]);
  if (!first || !second || !third) throw new Error("three parts were staged");
  expect(beside.files()).toHaveLength(2);
  const job = await store.transact(insertNew);
  const lines = (payload: Payload, firstIndex: number) => ({
    firstIndex,
    count: 1,
    lines: payload,
  });
  const undone = store.transact(async (tx) => {
    await tx.appendChunks(job.seq, lines(first, 0));
    await tx.appendChunks(job.seq, lines(second, 1));
    throw new Error("refused");
  });
  await expect(undone).rejects.toThrow("refused");
  await store.transact((tx) => tx.appendChunks(job.seq, lines(second, 0)));
  const again = store.transact((tx) => tx.appendChunks(job.seq, lines(second, 1)));
  await expect(again).rejects.toThrow("was not staged");
  for (const payload of [first, second, third, ...unused]) await store.discard(payload);
  expect(beside.files()).toEqual([second.kind === "file" ? second.name : ""]);
  const window = { from: 0, maxCount: 9, maxBytes: 9 };
  const reopened = await beside.reopen();
  const [stored] = await reopened.read((view) => view.chunks(job.seq, window));
  expect(Buffer.from(stored?.lines ?? []).toString()).toBe("small\n");
  await reopened.transact((tx) => tx.removeChunks(job.seq));
  await beside.close();
  expect(beside.files()).toEqual([]);
});

it("a read that began before its job was deleted gets all bytes", async () => {
  await using beside = await storeWithFiles();
  const { store } = beside;
  const job = await insertWithInput(store, LARGE);
  const reads = Array.from({ length: 20 }, () =>
    store.read((view) => bytesAt(view, job.seq, "input")),
  );
  const deleted = store.transact((tx) => tx.deleteJob(job));
  for (const bytes of await Promise.all(reads))
    expect(LARGE.equals(bytes ?? Buffer.alloc(0))).toBe(true);
  await deleted;
  await beside.close();
  expect(beside.files()).toEqual([]);
});

it("a file that is held is removed after that", async () => {
  using temporary = temporaryDirectory();
  const files = new PayloadFiles(temporary.path);
  const [content] = await files.stage([LARGE]);
  if (content === undefined) throw new Error("nothing was staged");
  const { name } = content;
  const file = path.join(temporary.path, "payloads", name);
  const holds = [files.hold(name), files.hold(name)];
  const payload = files.payload({ ...content, place: { seq: 1, slot: "input" } });
  await files.remove(name);
  for (const hold of holds) {
    expect(fs.existsSync(file)).toBe(true);
    expect(LARGE.equals(await payload.bytes())).toBe(true);
    hold[Symbol.dispose]();
  }
  await files.settle();
  expect(fs.existsSync(file)).toBe(false);
});

it("files that no row refers to are removed once the next start found no damage, all others stay", async () => {
  await using beside = await storeWithFiles();
  const job = await insertWithInput(beside.store, LARGE);
  const [kept = ""] = beside.files();
  await beside.store.stage(LARGE);
  await beside.store.close();
  const left = "0f0f0f0f-0000-4000-8000-000000000000";
  fs.writeFileSync(path.join(beside.payloads, left), "half writ");
  fs.writeFileSync(path.join(beside.payloads, "notes.txt"), "not ours");
  expect(beside.files()).toHaveLength(4);
  const store = await beside.reopen();
  const staged = await store.stage(LARGE);
  expect(beside.files()).toHaveLength(5);
  expect(await store.check()).toEqual([]);
  await store.discard(staged);
  expect(beside.files()).toEqual([kept, "notes.txt"].toSorted());
  const stored = await store.read((view) => bytesAt(view, job.seq, "input"));
  expect(LARGE.equals(stored ?? Buffer.alloc(0))).toBe(true);
});

it("a payload whose file was taken away is reported as that, and the store goes on", async () => {
  await using beside = await storeWithFiles();
  const job = await insertWithInput(beside.store, LARGE);
  const [name = ""] = beside.files();
  fs.rmSync(path.join(beside.payloads, name));
  const read = beside.store.read((view) => bytesAt(view, job.seq, "input"));
  await expect(read).rejects.toBeInstanceOf(PayloadDamagedError);
  await expect(read).rejects.toThrow("the input is missing: there is no file");
  await expect(read).rejects.toThrow(name);
  await beside.store.transact((tx) => tx.deleteJob(job));
  expect(await beside.store.read((view) => view.job(job.id))).toBeUndefined();
});

it("a file that is shared is there once, and goes with the last of those who share it", async () => {
  await using beside = await storeWithFiles();
  const { store } = beside;
  const job = await insertWithInput(store, LARGE);
  const sharer = await store.transact(insertNew);
  await store.transact((tx) => tx.sharePayload(job.seq, "input", sharer.seq));
  const shared = beside.files();
  expect(shared).toHaveLength(1);
  await store.transact((tx) => tx.deleteJob(job));
  const reopened = await beside.reopen();
  expect(beside.files()).toEqual(shared);
  await reopened.transact((tx) => tx.deleteJob(sharer));
  await beside.close();
  expect(beside.files()).toEqual([]);
});
