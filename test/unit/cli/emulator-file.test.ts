/** Commands find the emulator of their directory, or of one above it, while it runs. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { EmulatorFile, emulatorNear } from "../../../emulator/cli/emulator-file.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";

const URL_OF_ALL = "http://127.0.0.1:7080";

function directories() {
  const root = temporaryDirectory();
  const dataDir = path.join(root.path, ".sv");
  const below = path.join(root.path, "src/deep");
  fs.mkdirSync(dataDir);
  fs.mkdirSync(below, { recursive: true });
  const warnings: string[] = [];
  const log = { warn: (_: object, message: string) => void warnings.push(message) };
  return { root, dataDir, below, warnings, log, [Symbol.dispose]: root[Symbol.dispose] };
}

test("an emulator is found from its directory and below, until it stops", () => {
  using place = directories();
  const file = new EmulatorFile({ dataDir: place.dataDir, store: undefined }, place.log);
  file.write(URL_OF_ALL);
  const found = { url: URL_OF_ALL, key: file.key, pid: process.pid };
  expect(file.key).toHaveLength(43);
  expect(emulatorNear(place.root.path)).toEqual(found);
  expect(emulatorNear(place.below)).toEqual(found);
  expect(fs.statSync(path.join(place.dataDir, "emulator.json")).mode & 0o777).toBe(0o600);
  file[Symbol.dispose]();
  expect(emulatorNear(place.below)).toBeUndefined();
  expect(fs.readdirSync(place.dataDir)).toEqual([]);
});

test.each([
  ["of a killed emulator", JSON.stringify({ url: URL_OF_ALL, key: "k", pid: 2 ** 22 + 1 })],
  ["of another version", '{"address":"x"}'],
  ["that was cut off", '{"url":"http'],
])("a file %s is ignored", (_, text) => {
  using place = directories();
  fs.writeFileSync(path.join(place.dataDir, "emulator.json"), text);
  expect(emulatorNear(place.below)).toBeUndefined();
});

test.skipIf(process.getuid?.() !== 0)("a file of another user is ignored", () => {
  using place = directories();
  const file = path.join(place.dataDir, "emulator.json");
  new EmulatorFile({ dataDir: place.dataDir, store: undefined }, place.log).write(URL_OF_ALL);
  expect(emulatorNear(place.below)).toBeDefined();
  fs.chownSync(file, 1_234, 1_234);
  expect(emulatorNear(place.below)).toBeUndefined();
});

test("an emulator that keeps nothing, or keeps it in a database, writes no file", () => {
  using place = directories();
  new EmulatorFile({ dataDir: undefined, store: undefined }, place.log).write(URL_OF_ALL);
  const { dataDir, log } = place;
  new EmulatorFile({ dataDir, store: "postgres://x" }, log).write(URL_OF_ALL);
  expect(fs.readdirSync(place.dataDir)).toEqual([]);
});

test("a file that cannot be written is a warning", () => {
  using place = directories();
  const dataDir = path.join(place.dataDir, "none");
  new EmulatorFile({ dataDir, store: undefined }, place.log).write(URL_OF_ALL);
  expect(place.warnings).toEqual(["commands in this directory need --url and SV_API_KEY"]);
});
