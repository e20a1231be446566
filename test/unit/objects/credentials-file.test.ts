/** The keys of the object store: created once, and readable only for the user. */
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { readOrMakeCredentials } from "../../../emulator/objects/disk/credentials-file.ts";
import { StoreUnusableError } from "../../../emulator/core/store-error.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";

it("the keys are created once and then kept, readable only for the user", () => {
  using temporary = temporaryDirectory();
  const file = path.join(temporary.path, "credentials");
  const made = readOrMakeCredentials(file);
  expect(made.accessKeyId).toMatch(/^SV[A-Z0-9]{18}$/);
  expect(made.secretAccessKey).toMatch(/^[\w-]{40}$/);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  fs.chmodSync(file, 0o644);
  expect(readOrMakeCredentials(file)).toEqual(made);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(fs.readdirSync(temporary.path)).toEqual(["credentials"]);
});

it("the keys differ in each data directory", () => {
  using one = temporaryDirectory();
  using two = temporaryDirectory();
  const [first, second] = [one, two].map((place) =>
    readOrMakeCredentials(path.join(place.path, "c")),
  );
  expect(first?.accessKeyId).not.toBe(second?.accessKeyId);
  expect(first?.secretAccessKey).not.toBe(second?.secretAccessKey);
});

it("the keys are not replaced if the file exists without them, and the message says what to do", () => {
  using temporary = temporaryDirectory();
  const file = path.join(temporary.path, "credentials");
  fs.writeFileSync(file, "[default]\naws_access_key_id = X\n");
  expect(() => readOrMakeCredentials(file)).toThrow(StoreUnusableError);
  expect(() => readOrMakeCredentials(file)).toThrow("put them back, or delete it");
  expect(fs.readFileSync(file, "utf8")).toContain("= X");
});
