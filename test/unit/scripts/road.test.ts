/** `npm run road` follows a warm request through the source. */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const program = path.resolve(import.meta.dirname, "../../../scripts/road/main.ts");
const run = promisify(execFile);

test("the road lists and counts the files of a request in the order of their first calls", async () => {
  const { stdout } = await run(process.execPath, [program, "unknown-job"]);
  const lines = stdout.trim().split("\n");
  const files = lines.filter((line) => line.endsWith(".ts"));
  const functions = lines.filter((line) => /^ +\d+ {2}\S/u.test(line));
  expect(lines.at(-1)).toBe(`${files.length} files, ${functions.length} functions`);
  expect(lines).toHaveLength(files.length + functions.length + 1);
  const way = ["http/router", "core/access/key-ring", "store/sqlite/sqlite-store"];
  expect(files.filter((file) => way.some((part) => file.includes(part)))).toEqual(
    way.map((part) => `emulator/${part}.ts`),
  );
});

test("an unknown request is refused with the names of the known ones", async () => {
  await expect(run(process.execPath, [program, "nonsense"])).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("npm run road -- runsync|run|stream"),
  });
});
