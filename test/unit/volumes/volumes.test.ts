/** Directories of volumes: created before their records, removed after them; other directories are never touched. */
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { Endpoint } from "../../../emulator/core/resources/endpoints/endpoint.ts";
import { localEndpoint } from "../../../emulator/handlers/local-endpoint.ts";
import { ObjectService } from "../../../emulator/objects/object-service.ts";
import { Volumes } from "../../../emulator/volumes/volumes.ts";
import { put, read } from "../../contract/objects/subject.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";

const ID = "abcdefghi0";
const OTHER = "abcdefghi1";

/** Volumes in a data directory, with a real object store beside them. */
class Subject implements AsyncDisposable {
  readonly root: string;
  readonly said: string[] = [];
  readonly #temporary = temporaryDirectory();
  #parts: { readonly objects: ObjectService; readonly volumes: Volumes };

  constructor() {
    this.root = path.join(this.#temporary.path, "volumes");
    this.#parts = this.#make();
  }

  get volumes(): Volumes {
    return this.#parts.volumes;
  }

  get objects(): ObjectService {
    return this.#parts.objects;
  }

  directory(id: string): string {
    return path.join(this.root, id);
  }

  /** Entries beside the volumes. */
  names(): readonly string[] {
    return fs.existsSync(this.root) ? fs.readdirSync(this.root).toSorted() : [];
  }

  /** The state after the end of the process, with these records. */
  async restart(volumeIds: readonly string[]): Promise<void> {
    await this.objects.stop();
    this.#parts = this.#make();
    await this.volumes.open(volumeIds);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.objects.stop();
    this.#temporary[Symbol.dispose]();
  }

  #make(): { readonly objects: ObjectService; readonly volumes: Volumes } {
    const say = (_: object, message: string): void => void this.said.push(message);
    const log = { info: say, warn: say, error: say };
    const objects = new ObjectService({
      directory: path.join(this.#temporary.path, "objects"),
      now: Date.now,
      log,
    });
    return { objects, volumes: new Volumes({ directory: this.root, buckets: objects.store, log }) };
  }
}

const stored = async (): Promise<void> => undefined;
const neverEnds = async (): Promise<never> => new Promise<never>(() => undefined);
const endpointWith = (more: Partial<Endpoint>): Endpoint => ({
  ...localEndpoint({ id: "hello" }, "2026-01-01T00:00:00.000Z"),
  ...more,
});

it("a volume's directory and bucket exist before its record, and no other files afterwards", async () => {
  await using subject = new Subject();
  let before: readonly string[] = [];
  await subject.volumes.create(ID, async () => {
    before = subject.names();
    await put(subject.objects.store.bucket(ID), "k", "content");
  });
  expect(before).toEqual([ID, `${ID}.unsettled`]);
  expect(subject.names()).toEqual([ID]);
  expect(fs.readFileSync(path.join(subject.directory(ID), "k"), "utf8")).toBe("content");
  expect(fs.statSync(subject.directory(ID)).mode & 0o077).toBe(0);
});

it("a volume with a record that could not be stored leaves nothing behind", async () => {
  await using subject = new Subject();
  const full = new Error("no room");
  await expect(subject.volumes.create(ID, () => Promise.reject(full))).rejects.toBe(full);
  expect(subject.names()).toEqual([]);
  expect(() => subject.objects.store.bucket(ID)).toThrow("there is no bucket");
});

it("files and bucket are deleted after the record, and stay when that cannot be deleted", async () => {
  await using subject = new Subject();
  await subject.volumes.create(ID, stored);
  await put(subject.objects.store.bucket(ID), "a/b", "content");
  const used = new Error("in use");
  await expect(subject.volumes.remove(ID, () => Promise.reject(used))).rejects.toBe(used);
  expect((await read(subject.objects.store.bucket(ID), "a/b")).toString()).toBe("content");
  expect(subject.names()).toEqual([ID]);
  let during: readonly string[] = [];
  await subject.volumes.remove(ID, async () => void (during = subject.names()));
  expect(during).toEqual([ID, `${ID}.unsettled`]);
  expect(subject.names()).toEqual([]);
  expect(() => subject.objects.store.bucket(ID)).toThrow("there is no bucket");
});

it("a refused deletion does not remove the mark of another at the same time", async () => {
  await using subject = new Subject();
  await subject.volumes.create(ID, stored);
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const marked = Promise.withResolvers<void>();
  const gone = new Error("gone");
  // The mark belongs to the refused one.
  const refused = subject.volumes.remove(ID, async () => {
    marked.resolve();
    await second.promise;
    throw gone;
  });
  await marked.promise;
  const removal = subject.volumes.remove(ID, () => first.promise);
  second.resolve();
  await expect(refused).rejects.toBe(gone);
  expect(subject.names()).toEqual([ID, `${ID}.unsettled`]);
  first.resolve();
  await removal;
  expect(subject.names()).toEqual([]);
});

it("a restart makes the volumes buckets again, with the clients' metadata of their files", async () => {
  await using subject = new Subject();
  await subject.volumes.create(ID, stored);
  const headers = { "content-type": "text/plain" };
  const before = await put(subject.objects.store.bucket(ID), "k", "content", { headers });
  await subject.restart([ID]);
  expect(await subject.objects.store.bucket(ID).head("k")).toEqual(before);
});

it("unfinished volumes of an ended process are removed at the next start, and stored ones stay", async () => {
  await using subject = new Subject();
  for (const id of [ID, OTHER]) {
    const { promise: made, resolve } = Promise.withResolvers<void>();
    void subject.volumes.create(id, async () => {
      resolve();
      return neverEnds();
    });
    await made;
    await put(subject.objects.store.bucket(id), "k", "content");
  }
  // The record of one of them was committed without an answer.
  await subject.restart([OTHER]);
  expect(subject.names()).toEqual([OTHER]);
  expect(() => subject.objects.store.bucket(ID)).toThrow("there is no bucket");
  expect((await read(subject.objects.store.bucket(OTHER), "k")).toString()).toBe("content");
});

it("an unfinished deletion is finished by the next start, open uploads included", async () => {
  await using subject = new Subject();
  await subject.volumes.create(ID, stored);
  const bucket = subject.objects.store.bucket(ID);
  await put(bucket, "k", "content");
  await bucket.uploads.create("big", { headers: {}, metadata: {} });
  const { promise: deleted, resolve } = Promise.withResolvers<void>();
  void subject.volumes.remove(ID, async () => {
    resolve();
    return neverEnds();
  });
  await deleted;
  await subject.restart([]);
  expect(subject.names()).toEqual([]);
  // No data of the former volume is left under the name.
  await subject.volumes.create(ID, stored);
  expect(await subject.objects.store.bucket(ID).uploads.list()).toEqual([]);
});

it("unmarked directories without a record stay, and are reported", async () => {
  await using subject = new Subject();
  fs.mkdirSync(subject.directory(ID), { recursive: true });
  fs.writeFileSync(path.join(subject.directory(ID), "precious"), "x");
  fs.mkdirSync(subject.directory("of somebody else"));
  // No mark of ours: its name is not a volume's.
  fs.writeFileSync(subject.directory("of somebody else.unsettled"), "");
  fs.mkdirSync(subject.directory(OTHER));
  await subject.restart([OTHER]);
  const all = [ID, OTHER, "of somebody else", "of somebody else.unsettled"];
  expect(subject.names()).toEqual(all.toSorted());
  expect(fs.readdirSync(subject.directory(ID))).toEqual(["precious"]);
  expect(subject.said).toEqual([
    `${subject.directory(ID)} belongs to no network volume; it is left unchanged`,
  ]);
  await expect(subject.volumes.create(ID, stored)).rejects.toThrow("is there already");
  expect(fs.readdirSync(subject.directory(ID))).toEqual(["precious"]);
});

it("a volume without its directory is empty after the next start, which reports it", async () => {
  await using subject = new Subject();
  await subject.volumes.create(ID, stored);
  fs.rmSync(subject.directory(ID), { recursive: true });
  await subject.restart([ID]);
  await put(subject.objects.store.bucket(ID), "k", "content");
  expect(subject.said).toEqual([
    `${subject.directory(ID)} was gone: the network volume is empty now`,
  ]);
});

it("workers get the first volume of their endpoint, else their handler's directory, else none", async () => {
  await using subject = new Subject();
  const volume = path.join(subject.root, "../mine/data");
  await subject.volumes.openLocal([{ id: "hello", volume }, { id: "plain" }]);
  const envOf = (endpoint: Endpoint) => subject.volumes.workerEnv(endpoint);
  expect(envOf(endpointWith({}))).toEqual({ SV_VOLUME_PATH: volume });
  expect(envOf(endpointWith({ id: "plain" }))).toEqual({});
  const several = { networkVolumeIds: [OTHER, ID] };
  expect(envOf(endpointWith(several))).toEqual({ SV_VOLUME_PATH: subject.directory(OTHER) });
  const both = { ...several, networkVolumeId: ID };
  expect(envOf(endpointWith(both))).toEqual({ SV_VOLUME_PATH: subject.directory(ID) });
});

it("a handler's directory is created, and is a bucket beside its endpoint's own", async () => {
  await using subject = new Subject();
  const volume = path.join(subject.root, "../mine/data");
  await subject.volumes.openLocal([{ id: "hello", volume }]);
  fs.writeFileSync(path.join(volume, "k"), "content");
  expect((await read(subject.objects.store.bucket("hello.volume"), "k")).toString()).toBe(
    "content",
  );
});

it("a path that cannot be a directory is refused with the endpoint's name", async () => {
  await using subject = new Subject();
  const volume = path.join(subject.root, "../file");
  fs.writeFileSync(volume, "x");
  await expect(subject.volumes.openLocal([{ id: "hello", volume }])).rejects.toMatchObject({
    name: "VolumeUnusableError",
    message: expect.stringMatching(
      /^the volume of the endpoint "hello" cannot be used: EEXIST.*file/,
    ),
  });
});

it("a file in the place of the directories stays, and each use of a volume reports it", async () => {
  await using subject = new Subject();
  fs.writeFileSync(subject.root, "x");
  await expect(subject.volumes.create(ID, stored)).rejects.toMatchObject({
    name: "StoreUnusableError",
    message: expect.stringContaining("a file is in its place"),
  });
  expect(fs.readFileSync(subject.root, "utf8")).toBe("x");
});
