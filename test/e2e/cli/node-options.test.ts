/** The built `sv-emulate` under NODE_OPTIONS that its own processes cannot share. */
import { expect, test } from "vitest";
import { freePort } from "../../setup/free-port.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { startEmulatorProcess } from "../emulator-process.ts";
import { call } from "./call.ts";

/** A handler and a server that show what was loaded before them. */
const FILES = {
  "all/shows/handler.js": "export default () => globalThis.preloaded ?? null;",
  "all/serves/server.js": `import http from "node:http";
    http.createServer((_, response) => response.end(String(globalThis.preloaded))).listen(process.env.PORT);`,
  // Like an exporter of metrics.
  "listens.cjs": `globalThis.preloaded = "by require";
    require("node:http").createServer().listen(Number(process.env.METRICS_PORT));`,
  "listens.mjs": `import http from "node:http"; globalThis.preloaded = "by import";
    http.createServer().listen(Number(process.env.METRICS_PORT), "127.0.0.1");`,
  "once.cjs": `require("node:fs").mkdirSync(process.env.METRICS_PORT);`,
};

test.each([
  ["--require, of a file that listens,", "--require ./listens.cjs", "by require"],
  ["--import, of a file that listens,", "--import ./listens.mjs", "by import"],
  ["--inspect, beside a memory limit,", "--inspect=PORT --max-old-space-size=512", null],
])(
  "with %s handlers and servers run, and a start on the same data goes on",
  async (_, options, shown) => {
    await using tree = await temporaryTree(FILES);
    const port = String(await freePort());
    const env = { METRICS_PORT: port, NODE_OPTIONS: options.replace("PORT", port) };
    for (let start = 0; start < 2; start++) {
      await using emulator = await startEmulatorProcess({ args: ["all"], cwd: tree.root, env });
      expect(await call(emulator, "shows/runsync", { input: {} })).toMatchObject({ output: shown });
      const headers = { authorization: `Bearer ${emulator.apiKey}` };
      const served = await fetch(`${emulator.url}/lb/serves/`, { headers });
      expect(await served.text()).toBe(String(shown ?? undefined));
      if (shown !== null)
        await emulator.stderrMatch(/EADDRINUSE.*NODE_OPTIONS \(--(?:require|import) \.\/listens/u);
      expect(await emulator.stop()).toEqual({ code: 0, signal: null });
      expect(emulator.stderrLines.join("\n")).not.toMatch(/Starting inspector/u);
    }
  },
);

test("code of NODE_OPTIONS that ends a handler process is named", async () => {
  await using tree = await temporaryTree(FILES);
  const env = { METRICS_PORT: "made", NODE_OPTIONS: `--require ${tree.path("once.cjs")}` };
  const args = ["all/shows"];
  await using emulator = await startEmulatorProcess({ args, cwd: tree.root, env });
  const [line] = await emulator.stderrMatch(/exited with code 1.*once\.cjs/u);
  expect(line).toContain(`NODE_OPTIONS (--require ${tree.path("once.cjs")})`);
});
