/** The key file of a data directory: created at first need, private, and never replaced. */
import { Buffer } from "node:buffer";
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { chooseSecretKey } from "../../../emulator/secrets/choose-secret-key.ts";
import { fileSecretKey } from "../../../emulator/secrets/file-secret-key.ts";
import { StoreUnusableError } from "../../../emulator/core/store-error.ts";
import { createSystemRandom } from "../../../emulator/assembly/system-clock.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";

const random = createSystemRandom();

it("the key is created when it is first needed, and found again by the next start", () => {
  using temporary = temporaryDirectory();
  const file = path.join(temporary.path, "secret.key");
  const first = fileSecretKey(file, random);
  expect(first.find()).toBeUndefined();
  expect(fs.readdirSync(temporary.path)).toEqual([]);
  const key = Buffer.from(first.findOrMake());
  expect(fs.readdirSync(temporary.path)).toEqual(["secret.key"]);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(fs.readFileSync(file, "utf8")).toBe(`${key.toString("base64")}\n`);
  fs.chmodSync(file, 0o644);
  expect(fileSecretKey(file, random).find()).toEqual(key);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
});

it("the key is not replaced if the file has other content: the message says what to do and does not show it", () => {
  using temporary = temporaryDirectory();
  const file = path.join(temporary.path, "secret.key");
  fs.writeFileSync(file, "half a ke");
  for (const ask of ["find", "findOrMake"] as const) {
    const key = fileSecretKey(file, random);
    expect(() => key[ask]()).toThrow(StoreUnusableError);
    expect(() => key[ask]()).toThrow("restore the right key, or delete the file");
    expect(() => key[ask]()).not.toThrow("half a ke");
  }
  expect(fs.readFileSync(file, "utf8")).toBe("half a ke");
});

it("the given key precedes that of the data directory; without either the key is in memory", () => {
  using temporary = temporaryDirectory();
  const dataDir = temporary.path;
  const secretKey = Buffer.alloc(32, 5).toString("base64");
  const given = chooseSecretKey({ secretKey, dataDir }, random);
  expect(given.findOrMake()).toEqual(Buffer.alloc(32, 5));
  expect(fs.readdirSync(dataDir)).toEqual([]);
  expect(chooseSecretKey({ dataDir }, random).find()).toBeUndefined();
  expect(chooseSecretKey({}, random).find()).toHaveLength(32);
  expect(() => chooseSecretKey({ secretKey: "short" }, random)).toThrow(RangeError);
  expect(() => chooseSecretKey({ secretKey: "short" }, random)).not.toThrow("short");
});

it("the key of a shared store is given, or already in the data directory", () => {
  using temporary = temporaryDirectory();
  const shared = { dataDir: temporary.path, store: "postgres://host/sv" };
  expect(() => chooseSecretKey(shared, random)).toThrow(StoreUnusableError);
  expect(() => chooseSecretKey(shared, random)).toThrow("set SV_SECRET_KEY to 32 bytes");
  expect(fs.readdirSync(temporary.path)).toEqual([]);
  const key = chooseSecretKey({ dataDir: temporary.path }, random).findOrMake();
  expect(Buffer.from(chooseSecretKey(shared, random).findOrMake())).toEqual(Buffer.from(key));
});
