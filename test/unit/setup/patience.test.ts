/** Tests use the shared timeouts, and no test runs as another user, who may not be able to read the source. */
import { expect, test } from "vitest";
import { limitOffences } from "../../tidy/limits.ts";
import { parse } from "../../tidy/source.ts";
import { isSource, textFiles } from "../../tidy/tree.ts";

test("no test sets its own time limit, or becomes another user", () => {
  const sources = textFiles().filter((file) => isSource(file) && file.path.startsWith("test/"));
  expect(sources.flatMap(({ path, text }) => limitOffences(parse(path, text)))).toEqual([]);
});

test.each([
  `test("a", f, 120_000)`,
  `it.skipIf(missing)("a", f, 60_000)`,
  `test.each([1])("a", f, 20_000)`,
  `test("a", { timeout: 5_000 }, f)`,
  `beforeAll(f, 60_000)`,
  `expect.poll(f, { timeout: 5_000 })`,
  `const SOON = { timeout: 60_000, interval: 50 }`,
  `vi.waitFor(f)`,
  `vi.waitFor(f, { timeout: 10_000 })`,
  `eventually("a", f, 3_000)`,
  `process.seteuid?.(65_534)`,
])("%s is found", (text) => {
  expect(limitOffences(parse("test/unit/x.test.ts", text))).toHaveLength(1);
});

test.each([
  `test("a", f, 3_600_000)`,
  `test.each([5, 6])("a", f)`,
  `expect.poll(f, { interval: 100 })`,
  `vi.waitFor(f, { timeout: LOOK_MS })`,
  `eventually("a", f)`,
])("%s is allowed", (text) => {
  expect(limitOffences(parse("test/unit/x.test.ts", text))).toEqual([]);
});
