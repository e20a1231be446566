/** The built programs where the environment names a proxy. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { freePort } from "../../setup/free-port.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { program, startEmulatorProcess } from "../emulator-process.ts";
import { call } from "./call.ts";

const HANDLER = `import fs from "node:fs/promises";
  export default async (_, context) => {
    const { url } = await context.upload("a.txt", "text");
    const { path } = await context.download(url);
    return fs.readFile(path, "utf8");
  };`;

test("nothing on this machine needs the proxy: uploads, downloads, webhooks and commands", async () => {
  await using tree = await temporaryTree({ "h.js": HANDLER });
  const receiver = http.createServer((_, response) => response.end()).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const { port } = receiver.address() as AddressInfo;
  // No proxy listens there.
  const proxy = `http://127.0.0.1:${await freePort()}`;
  const env = { http_proxy: proxy, HTTPS_PROXY: proxy, NODE_USE_ENV_PROXY: "1" };
  await using emulator = await startEmulatorProcess({ args: ["h.js"], cwd: tree.root, env });
  const called = once(receiver, "request");
  const webhook = `http://localhost:${port}/hook`;
  expect(await call(emulator, "h/runsync", { input: {}, webhook })).toMatchObject({
    output: "text",
  });
  await called;
  receiver.close();
  const asked = spawnSync(process.execPath, [program, "jobs", "h", "--url", emulator.url], {
    encoding: "utf8",
    env: { ...process.env, ...env, SV_API_KEY: emulator.apiKey },
  });
  expect(asked.stderr).toBe("");
  expect(asked.stdout).toContain("COMPLETED");
});
