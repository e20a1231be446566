/** Private files of the user, on file systems of all kinds. */
import fs from "node:fs";
import path from "node:path";
import { expect, it, vi } from "vitest";
import { makePrivateDatabase } from "../../../emulator/sqlite/private-file.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";

it("without links, a database that another process creates at the same time is unchanged", () => {
  using directory = temporaryDirectory();
  const file = path.join(directory.path, "some.db");
  const link = vi.spyOn(fs, "linkSync").mockImplementationOnce(() => {
    fs.writeFileSync(file, "theirs");
    throw Object.assign(new Error("no links here"), { code: "EPERM" });
  });
  makePrivateDatabase(file);
  expect(link).toHaveBeenCalledOnce();
  expect(fs.readFileSync(file, "utf8")).toBe("theirs");
  expect(fs.readdirSync(directory.path)).toEqual(["some.db"]);
});

it("without links, a database is created that only the user can read", () => {
  using directory = temporaryDirectory();
  const file = path.join(directory.path, "some.db");
  vi.spyOn(fs, "linkSync").mockImplementationOnce(() => {
    throw Object.assign(new Error("no links here"), { code: "EPERM" });
  });
  makePrivateDatabase(file);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
});
