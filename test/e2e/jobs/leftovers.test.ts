/** Processes that a service or worker started end with it: workers, handlers, and programs of handlers. */
import fs from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createClient, type Client, type EndpointHealth } from "../../../runtime/client/index.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { startEmulatorProcess, type EmulatorProcess } from "../emulator-process.ts";
import { eventually, type ObservedProcess, processesMarked } from "./observe.ts";
import { testInFull } from "../../setup/size.ts";

const fixtures = path.resolve(import.meta.dirname, "../../fixtures/handlers");

/** Handlers that do not end by themselves, some with programs outside their process group. */
const STUBBORN = [
  "blocks-the-loop",
  "ignores-abort",
  "ignores-sigterm",
  "forks-a-child",
  "speaks-to-nobody",
];
/**
 * Processes of each worker: supervisor, handler process, standby process, and the programs of the last two: two
 * and one.
 */
const PROCESSES = STUBBORN.length * 3 + 3;

type JobCounts = EndpointHealth["jobs"];

interface Scene extends AsyncDisposable {
  readonly emulator: EmulatorProcess;
  readonly client: Client;
  /** The processes below the emulator. */
  readonly left: () => ObservedProcess[];
}

/** An emulator with busy handlers and waiting standby processes. */
async function setScene(): Promise<Scene> {
  const mark = `LEFT_OVER=${crypto.randomUUID()}`;
  const [name = "", value = ""] = mark.split("=");
  const endpoints = STUBBORN.map((id) => [
    id,
    { handler: path.join(fixtures, `${id}.ts`), workersMax: 1, env: { [name]: value } },
  ]);
  const config = JSON.stringify({ endpoints: Object.fromEntries(endpoints) });
  const tree = await temporaryTree({ "sv.config.json": config });
  const emulator = await startEmulatorProcess({ cwd: tree.root, args: ["sv.config.json"] });
  const left = () => processesMarked(mark);
  const client = createClient({ baseUrl: emulator.url, apiKey: emulator.apiKey });
  const scene: Scene = {
    emulator,
    client,
    left,
    async [Symbol.asyncDispose]() {
      await client.close();
      await emulator[Symbol.asyncDispose]();
      for (const { pid } of left()) process.kill(pid, "SIGKILL");
      await tree[Symbol.asyncDispose]();
    },
  };
  try {
    await setToWork(scene);
    return scene;
  } catch (error) {
    await scene[Symbol.asyncDispose]();
    throw error;
  }
}

async function setToWork({ client, left }: Scene): Promise<void> {
  for (const id of STUBBORN) await client.endpoint(id).run({});
  await eventually("all handlers are at work", async () => {
    const isAtWork = await allAre(client, ({ inProgress }) => inProgress === 1);
    return isAtWork && left().length === PROCESSES ? true : undefined;
  });
}

async function allAre(client: Client, holds: (jobs: JobCounts) => boolean): Promise<boolean> {
  const all = await Promise.all(STUBBORN.map(async (id) => client.endpoint(id).health()));
  return all.every(({ jobs }) => holds(jobs));
}

/** Time until `find` found nothing, ms. */
async function expectGone(find: () => ObservedProcess[]): Promise<string> {
  const since = performance.now();
  const isGone = () => (find().length === 0 ? true : undefined);
  await eventually("nothing is left", isGone).catch(() => undefined);
  expect(find()).toEqual([]);
  return (performance.now() - since).toFixed(0);
}

testInFull("no process is left when the emulator is told to stop at once", async () => {
  await using scene = await setScene();
  const { emulator } = scene;
  emulator.child.kill("SIGINT");
  await emulator.stderrMatch(/running jobs finish first/);
  emulator.child.kill("SIGTERM");
  expect(await emulator.exited).toEqual({ code: 130, signal: null });
  const leftMs = await expectGone(scene.left);
  console.log(`figure: last process gone ${leftMs} ms after a stop at once`);
});

test("no process is left when the emulator is killed", async () => {
  await using scene = await setScene();
  scene.emulator.child.kill("SIGKILL");
  await scene.emulator.exited;
  const leftMs = await expectGone(scene.left);
  console.log(`figure: last process gone ${leftMs} ms after the emulator was killed`);
});

test("after an emulator was killed, the next one removes the directory of its socket, and its own when it ends", async () => {
  await using tree = await temporaryTree({ "handler.js": "export default () => 7;", "tmp/": "" });
  const start = async () =>
    startEmulatorProcess({
      args: ["handler.js"],
      cwd: tree.root,
      env: { TMPDIR: tree.path("tmp") },
    });
  const directories = async () =>
    (await fs.readdir(tree.path("tmp"))).filter((name) => name.startsWith("sv-e-"));
  const killed = await start();
  const left = await directories();
  killed.child.kill("SIGKILL");
  await killed.exited;
  expect(await directories()).toEqual(left);
  await using next = await start();
  await eventually("what the killed one left is gone", async () => {
    return (await directories()).includes(left[0] ?? "") ? undefined : true;
  });
  expect([left.length, (await directories()).length]).toEqual([1, 1]);
  await next.stop();
  expect(await directories()).toEqual([]);
});
