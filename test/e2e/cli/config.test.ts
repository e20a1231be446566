/**
 * Configs of the built `sv-emulate`: one in TypeScript, secrets from the environment, its display, and its export
 * and import.
 */
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { testInFull } from "../../setup/size.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { runEmulatorProcess, startEmulatorProcess } from "../emulator-process.ts";
import { call } from "./call.ts";

const HANDLER =
  "export default (job) => ({ input: job.input, token: process.env.TOKEN, mode: process.env.MODE });";

const TYPESCRIPT = `
import { defineConfig } from "sv-runtime/config";
import { mode } from "./mode";

export default defineConfig(async () => ({
  endpoints: {
    echo: {
      handler: "./echo.js",
      env: { MODE: mode, TOKEN: { fromEnv: "HF_TOKEN" } },
      volume: "./files",
      networkVolumes: ["weights"],
      workersMax: 1,
      retries: { handlerError: 2 },
    },
    chat: {
      image: "registry.example/chat:1",
      name: "Chat",
      type: "LOAD_BALANCING",
      ports: ["8000/http"],
      containerRegistryAuth: "registry.example",
      gpuTypeIds: ["NVIDIA L4"],
      workersMin: 0,
    },
    shared: { template: "base", workersMin: 0, scalerType: "REQUEST_COUNT", scalerValue: 2 },
  },
  templates: { base: { imageName: "registry.example/base:1", env: { SECRET: { fromEnv: "HF_TOKEN" }, A: "1" } } },
  networkVolumes: { weights: { size: 5 } },
  containerRegistryAuths: {
    "registry.example": { username: "ada", password: { fromEnv: "REGISTRY_PASSWORD" } },
  },
  docker: "off",
}));
`;

const FILES = {
  "echo.js": HANDLER,
  "mode.ts": `export const mode: string = "fast";`,
  "sv.config.ts": TYPESCRIPT,
  ".env": "# a comment\nHF_TOKEN=hf_first\n",
  "more.env": 'HF_TOKEN="hf_secret"\nREGISTRY_PASSWORD=hush\n',
};
const ENV_FILES = ["--env-file", ".env", "--env-file", "more.env"];

/** The state in the management interface, without values that differ at each start. */
async function resources({
  url,
  apiKey,
}: {
  readonly url: string;
  readonly apiKey: string | undefined;
}) {
  const list = async (path: string) => {
    const response = await fetch(`${url}/v1/${path}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const all = (await response.json()) as Record<string, unknown>[];
    return all
      .map(({ createdAt: _createdAt, version: _version, ...rest }) => rest)
      .toSorted((a, b) => String(a["id"]).localeCompare(String(b["id"])));
  };
  return {
    endpoints: await list("endpoints"),
    templates: await list("templates?includeEndpointBoundTemplates=true"),
    networkVolumes: await list("networkvolumes"),
    registryAuths: await list("containerregistryauth"),
  };
}

test("a config in TypeScript is found in the current directory, and its secrets come from env files", async () => {
  await using tree = await temporaryTree(FILES);
  await using emulator = await startEmulatorProcess({
    args: [...ENV_FILES, "--ephemeral"],
    cwd: tree.root,
  });
  expect(await call(emulator, "echo/runsync", { input: { a: 1 } })).toMatchObject({
    output: { input: { a: 1 }, token: "hf_secret", mode: "fast" },
  });
  const { endpoints, templates, networkVolumes, registryAuths } = await resources(emulator);
  expect(endpoints).toMatchObject([
    { id: "chat", name: "Chat", type: "LOAD_BALANCING", gpuTypeIds: ["NVIDIA L4"] },
    { id: "echo", workersMax: 1, networkVolumeId: networkVolumes[0]?.["id"] },
    { id: "shared", scalerType: "REQUEST_COUNT" },
  ]);
  expect(templates).toContainEqual(
    expect.objectContaining({
      name: "chat",
      imageName: "registry.example/chat:1",
      ports: ["8000/http"],
      containerRegistryAuthId: registryAuths[0]?.["id"],
    }),
  );
  expect(networkVolumes).toMatchObject([{ name: "weights", size: 5 }]);
  expect(registryAuths).toMatchObject([{ name: "registry.example" }]);
});

test("an emulator is exported as JSON and TypeScript without secrets, and a start with the export serves the same endpoints", async () => {
  await using tree = await temporaryTree(FILES);
  const env = { SV_API_KEY: "the-key" };
  const headers = { authorization: "Bearer the-key" };
  const args = [...ENV_FILES, "--ephemeral"];
  await using first = await startEmulatorProcess({ args, env, cwd: tree.root });
  // An endpoint made over the interface, and a change of one from the config file.
  await fetch(`${first.url}/v1/networkvolumes`, {
    ...{ method: "POST", headers },
    body: JSON.stringify({ name: "scratch space", size: 1, dataCenterId: "US-KS-2" }),
  });
  await fetch(`${first.url}/v1/endpoints/shared`, {
    ...{ method: "PATCH", headers },
    body: JSON.stringify({ workersMax: 7, allowedCudaVersions: ["12.8"] }),
  });
  const exported = async (name: string, ...flags: readonly string[]) => {
    const written = ["export", "--url", first.url, ...flags, "--out", name];
    const run = await runEmulatorProcess({ args: written, env, cwd: tree.root });
    expect(run).toMatchObject({ code: 0, stdout: "", stderr: "" });
    return readFile(tree.path(name), "utf8");
  };
  const json = await exported("exported.json");
  const typescript = await exported("sv.config.exported.ts", "--ts");
  const before = await resources(first);
  expect(before.endpoints.length + before.templates.length).toBe(6);
  await first.stop();

  expect(json + typescript).not.toMatch(/hush|hf_secret|ada/);
  // Names of members have no quotes in TypeScript unless they need them.
  const [, literal = ""] = /^export default defineConfig\(([^]*)\);\n$/m.exec(typescript) ?? [];
  expect(JSON.parse(literal.replaceAll(/^( +)([\w$]+):/gm, '$1"$2":'))).toEqual(JSON.parse(json));
  const secrets = { REGISTRY_EXAMPLE_USERNAME: "ada", REGISTRY_EXAMPLE_PASSWORD: "hush" };
  await using second = await startEmulatorProcess({
    args: ["sv.config.exported.ts", ...ENV_FILES, "--ephemeral"],
    env: { ...env, ...secrets, SV_DOCKER: "off" },
    cwd: tree.root,
  });
  expect(await resources(second)).toEqual(before);
  expect(await call(second, "echo/runsync", { input: { a: 1 } })).toMatchObject({
    output: { token: "hf_secret", mode: "fast" },
  });
});

test("the command config prints each setting with its source, and no secret", async () => {
  await using tree = await temporaryTree(FILES);
  const run = await runEmulatorProcess({
    args: ["config", "--port", "7081", "--env-file", "more.env"],
    env: { SV_LIMITS: "warn", SV_API_KEY: "the-key" },
    cwd: tree.root,
  });
  expect(run).toMatchObject({ code: 0, stderr: "" });
  for (const row of [
    /^ {2}port +7081 +--port$/m,
    /^ {2}limits +warn +SV_LIMITS$/m,
    /^ {2}docker +off +sv\.config\.ts:31:11$/m,
    /^ {2}apiKey +\(secret\) +SV_API_KEY$/m,
    /^ {2}env\.TOKEN +\(secret\) +sv\.config\.ts:9:33, from HF_TOKEN$/m,
    /^ {2}env\.MODE +fast +sv\.config\.ts:9:20$/m,
    /^ {2}workersMax +1 +sv\.config\.ts:12:19$/m,
    /^ {2}idleTimeout +5 +default$/m,
    /^ {2}password +\(secret\) +sv\.config\.ts:29:54/m,
  ])
    expect.soft(run.stdout).toMatch(row);
  expect(run.stdout).not.toMatch(/the-key|hf_secret|hush/);
});

test("the first signal ends a start with a config that never settles", async () => {
  await using tree = await temporaryTree({
    "sv.config.ts": `export default () => {
      process.kill(process.pid, "SIGINT");
      return new Promise(() => setInterval(() => undefined, 1_000));
    };`,
  });
  expect(await runEmulatorProcess({ cwd: tree.root })).toMatchObject({ code: 130, stdout: "" });
});

describe("refused with file and line:", () => {
  test.each([
    [
      "a missing variable",
      ["--env-file", ".env"],
      {},
      /^error: sv\.config\.ts:29:54: .*REGISTRY_PASSWORD, which is not set$/,
    ],
    [
      "a line of a file without an assignment",
      ["--env-file", "bad.env"],
      {},
      /^error: bad\.env:2: expected NAME=value/,
    ],
  ])("%s", async (_, args, env, sentence) => {
    await using tree = await temporaryTree({ ...FILES, "bad.env": "A=1\nnot-a-variable\n" });
    const run = await runEmulatorProcess({ args, env, cwd: tree.root });
    expect(run).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(sentence) });
  });

  testInFull("a name that a resource of the interface already has is refused", async () => {
    await using tree = await temporaryTree(FILES);
    const env = { SV_API_KEY: "the-key" };
    const args = [...ENV_FILES];
    await using first = await startEmulatorProcess({ args: ["echo.js"], env, cwd: tree.root });
    await fetch(`${first.url}/v1/templates`, {
      method: "POST",
      headers: { authorization: "Bearer the-key" },
      body: JSON.stringify({ name: "base", imageName: "x", isServerless: true }),
    });
    await first.stop();
    const run = await runEmulatorProcess({ args, env, cwd: tree.root });
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain('there is a template named \\"base\\" already');
  });
});
