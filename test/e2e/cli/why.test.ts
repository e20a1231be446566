/** `sv-emulate why` of a job that waits for workers which cannot start: the reason of each launcher, from the first failure on. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Client, createClient } from "../../../runtime/client/index.ts";
import { temporaryTree, type TemporaryTree } from "../../temporary-tree.ts";
import {
  type EmulatorProcess,
  runEmulatorProcess,
  startEmulatorProcess,
} from "../emulator-process.ts";
import { eventually } from "../jobs/observe.ts";

const CONFIG = {
  endpoints: {
    broken: { handler: "broken.js" },
    absent: { command: ["./no-such-program"] },
    finished: { command: ["node", "-e", "0"] },
    boxed: { image: "me/box:1" },
  },
};

let tree: TemporaryTree;
let emulator: EmulatorProcess;
let client: Client;

beforeAll(async () => {
  tree = await temporaryTree({
    "broken.js": 'throw new Error("no weights here");\nexport default () => 1;\n',
    "sv.config.json": JSON.stringify(CONFIG),
  });
  emulator = await startEmulatorProcess({
    args: ["sv.config.json", "--ephemeral"],
    cwd: tree.root,
    env: { DOCKER_HOST: "unix:///nowhere/docker.sock" },
  });
  client = createClient({ baseUrl: emulator.url, apiKey: emulator.apiKey });
});
afterAll(async () => {
  await client.close();
  await emulator[Symbol.asyncDispose]();
  await tree[Symbol.asyncDispose]();
});

test.each([
  ["broken", /a worker cannot load its handler: .*no weights here/u],
  ["absent", /a worker could not be started: .*there is no program "\.\/no-such-program"/u],
  ["finished", /a worker ended with code 0 and had never called the service/u],
  ["boxed", /no worker can be started: me\/box:1: no Docker engine answers/u],
])("an endpoint that is %s", async (endpointId, reason) => {
  const endpoint = client.endpoint(endpointId);
  const { id } = await endpoint.run({});
  const problem = await eventually("it is told", async () => (await endpoint.health()).problem);
  expect(problem).toMatch(reason);
  const env = { SV_API_KEY: emulator.apiKey ?? "", SV_URL: emulator.url, SV_PORT: "" };
  const { code, stdout } = await runEmulatorProcess({ args: ["why", id], env });
  expect(code).toBe(0);
  expect(stdout).toMatch(reason);
});
