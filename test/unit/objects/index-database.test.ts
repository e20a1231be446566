/** Only one process at a time can open the index of the object store. */
import path from "node:path";
import { expect, it } from "vitest";
import { IndexDatabase } from "../../../emulator/objects/disk/index/index-database.ts";
import { locksOf } from "../../setup/file-locks.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";

it("an index that is refused to a second user in this process stays locked for other processes", () => {
  using directory = temporaryDirectory();
  const file = path.join(directory.path, "index.db");
  const index = new IndexDatabase(directory.path);
  expect(() => new IndexDatabase(directory.path)).toThrow("database is locked");
  expect(locksOf(file)).toHaveLength(1);
  index.close();
  new IndexDatabase(directory.path).close();
});

it("commits of the index reach the disk, even if a plain sync leaves data in the drive's cache", () => {
  using directory = temporaryDirectory();
  const index = new IndexDatabase(directory.path);
  expect(index.first`PRAGMA synchronous`).toEqual([2]);
  expect(index.first`PRAGMA fullfsync`).toEqual([1]);
  expect(index.first`PRAGMA checkpoint_fullfsync`).toEqual([1]);
  index.close();
});
