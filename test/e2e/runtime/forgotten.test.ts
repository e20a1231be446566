/** Emulators of tests that nothing stops, under the real `node --test`. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { temporaryTree } from "../../temporary-tree.ts";
import { program } from "../emulator-process.ts";

const emulator = path.resolve(program, "../../index.js");

/** The end of a test file is awaited: without it the test would time out. */
const BEGIN = `import assert from "node:assert/strict";
  import test from "node:test";
  import { startEmulator } from ${JSON.stringify(emulator)};
  const key = "a-key-of-tests-alone";
  const headers = { authorization: "Bearer " + key, "content-type": "application/json" };
  const post = (path, input) =>
    fetch(globalThis.x.url + path, { method: "POST", headers, body: JSON.stringify({ input }) });
  const start = async (options) => (globalThis.x = await startEmulator({ port: 0, apiKey: key, ...options }));
  const echo = { endpoints: { a: { handler: ({ input }) => input } } };`;

test.each([
  ["without a call", `await start(echo);`],
  [
    "with a job in it that does not end",
    `const begun = Promise.withResolvers();
    await start({ endpoints: { a: { handler: () => { begun.resolve(); return new Promise(() => {}); } } } });
    await post("/v2/a/run", {});
    await begun.promise;`,
  ],
  [
    "with a handler in a file",
    `await start({ handlers: [{ id: "a", path: import.meta.dirname + "/a.js" }] });
    assert.equal((await (await post("/v2/a/runsync", { n: 1 })).json()).output.n, 1);`,
  ],
  [
    "that waits for the work of its emulator",
    `await start({ endpoints: { a: { handler: () => { throw new Error("always"); }, retry: { attempts: 2 } } } });
    const job = await x.endpoint("a").run({});
    assert.equal(job.status, "FAILED");
    await x.idle();
    assert.equal((await x.clock.advance("31m")).settled, true);`,
  ],
])("a test %s ends although it forgets its emulator", async (_, body) => {
  await using tree = await temporaryTree({
    "a.js": "export default ({ input }) => input;",
    "a.test.mjs": `${BEGIN}\ntest("forgets", async () => { ${body} });`,
  });
  const env = Object.entries(process.env).filter(([name]) => !/^(?:NODE_TEST|VITEST)/u.test(name));
  const run = spawnSync(process.execPath, ["--test", "a.test.mjs"], {
    cwd: tree.root,
    encoding: "utf8",
    env: Object.fromEntries(env),
    timeout: 60_000,
  });
  expect(run.stdout).toContain("pass 1");
  expect(run.status).toBe(0);
});
