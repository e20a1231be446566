/** Worker images under testcontainers: built from a Dockerfile, started with a health check, stopped. */
import fs from "node:fs";
import path from "node:path";
import { GenericContainer } from "testcontainers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { callerCheck } from "../../../emulator/assembly/callers.ts";
import { openEngine, type RunningEngine } from "../../../emulator/engine/engine.ts";
import { settleKeys } from "../../../emulator/engine/access/service-keys.ts";
import { sessionsOn } from "../../../emulator/engine/workers/session/worker-session.ts";
import { KeyRing } from "../../../emulator/core/access/key-ring.ts";
import { admitStarted } from "../../../emulator/grpc/worker-admission.ts";
import { WorkerServer } from "../../../emulator/grpc/worker-server.ts";
import { createHttpServer } from "../../../emulator/http/server.ts";
import { localEndpoint, localTemplate } from "../../../emulator/handlers/local-endpoint.ts";
import { createMemoryStore } from "../../../emulator/store/memory/memory-store.ts";
import { createSystemClock, createSystemRandom } from "../../../emulator/assembly/system-clock.ts";
import { createClient, type Client } from "../../../runtime/client/index.ts";
import { dockerIsMissing } from "../../setup/docker.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { eventually } from "../jobs/observe.ts";
import { ImageScene } from "./image-scene.ts";
import { TestcontainersLauncher } from "./testcontainers-launcher.ts";

const HANDLERS = {
  "returns.js": "export default ({ input }) => ({ hello: input.name, uid: process.getuid() });\n",
  "defined.ts": `import { defineHandler } from "sv-runtime";
export default defineHandler({ setup: () => 40, run: ({ input }, { state }) => state + input.more });
`,
  // The last chunk waits for a file.
  "streams.ts": `import fs from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
enum Step { One = 1 }
export default async function* ({ input }: { input: { count: number } }) {
  for (let n = 0; n < input.count; n += Step.One) {
    while (n === input.count - 1 && !fs.existsSync("/tmp/go")) await delay(20);
    yield { n };
  }
}
`,
};
const ENDPOINTS = Object.keys(HANDLERS).map((file) => ({ id: path.parse(file).name, file }));

describe.skipIf(dockerIsMissing !== undefined)("a worker image under testcontainers", () => {
  const cleanUp = new AsyncDisposableStack();
  let engine: RunningEngine;
  let launcher: TestcontainersLauncher;
  let client: Client;
  let isElsewhere: boolean;

  beforeAll(async () => {
    const scene = cleanUp.use(await ImageScene.start());
    isElsewhere = await scene.docker.isElsewhere();
    process.env["DOCKER_HOST"] = scene.docker.host;
    process.env["TESTCONTAINERS_RYUK_DISABLED"] = "true";
    await using files = await temporaryTree({
      ...HANDLERS,
      Dockerfile: `FROM ${scene.base}\nCOPY . .\n`,
    });
    const image = `sv-test/testcontainers:${process.pid}`;
    await GenericContainer.fromDockerfile(files.root).build(image);
    const folder = cleanUp.use(temporaryDirectory());
    const socket = path.join(folder.path, "worker.sock");
    launcher = new TestcontainersLauncher(scene.docker, image, socket);
    ({ engine, client } = await serve(launcher, socket, cleanUp));
    fs.chmodSync(socket, 0o666);
    await engine.start();
  });
  beforeEach(({ skip }) =>
    skip(isElsewhere, "its containers have the workers' socket of this machine"),
  );
  afterAll(async () => cleanUp.disposeAsync());

  test("becomes healthy, and takes jobs for handlers of all three forms", async () => {
    await Promise.all(ENDPOINTS.map(({ id }) => launcher.containerOf(id)));
    const returned = await client.endpoint("returns").runSync({ name: "Ada" });
    expect(returned.output).toEqual({ hello: "Ada", uid: 1000 });
    expect((await client.endpoint("defined").runSync({ more: 2 })).output).toBe(42);
    const streams = client.endpoint("streams");
    const { id } = await streams.run({ count: 3 });
    await (await launcher.containerOf("streams")).exec(["touch", "/tmp/go"]);
    const chunks = [];
    for await (const { output } of streams.stream(id)) chunks.push(output);
    expect(chunks).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
  });

  test("finishes its job when it is stopped, and exits with 0", async () => {
    const container = await launcher.containerOf("streams");
    await container.exec(["rm", "-f", "/tmp/go"]);
    const streams = client.endpoint("streams");
    const { id } = await streams.run({ count: 3 });
    const stream = streams.stream(id)[Symbol.asyncIterator]();
    await stream.next();
    const worker = engine.context.fleet.workersOf("streams")[0];
    const exit = worker?.launched?.exited;
    const stopped = container.stop({ timeout: 60_000, remove: false });
    await eventually("it says that it leaves", () => worker?.state === "draining" || undefined);
    await container.exec(["touch", "/tmp/go"]);
    expect((await streams.wait(id)).status).toBe("COMPLETED");
    await stopped;
    expect(await exit).toMatchObject({ exitCode: 0 });
  });
});

/** A whole service with workers of `launcher`; no worker has started yet. */
async function serve(
  launcher: TestcontainersLauncher,
  socket: string,
  cleanUp: AsyncDisposableStack,
): Promise<{ readonly engine: RunningEngine; readonly client: Client }> {
  const store = createMemoryStore();
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const random = createSystemRandom();
  const engine = await openEngine({
    store,
    clock: createSystemClock(),
    random,
    log,
    launchers: [launcher],
    webhookSender: {
      send: () => Promise.reject(new Error("unused")),
      close: async () => undefined,
    },
  });
  const workerServer = new WorkerServer({
    address: `unix:${socket}`,
    log,
    admit: admitStarted(engine.context),
    openSession: sessionsOn(engine.context),
  });
  const at = new Date().toISOString();
  const { records } = await settleKeys(
    { steps: engine.context.steps, random, startWork: engine.startWork },
    { user: "key", admin: undefined },
    at,
  );
  const keys = new KeyRing(records, engine.context.clock);
  const http = createHttpServer({
    engine: engine.context,
    callers: callerCheck("127.0.0.1", {}),
    keys,
    webhookSecret: "",
    log,
  });
  await workerServer.start();
  await engine.serve(
    ENDPOINTS.map(({ id, file }) => {
      const handler = { id, path: file, settings: { workersMax: 1 } };
      const template = { ...localTemplate(handler), env: { SV_HANDLER: `/app/${file}` } };
      return { template, endpoint: localEndpoint(handler, at) };
    }),
  );
  const url = await http.start({ host: "127.0.0.1", port: 0 });
  const client = createClient({ baseUrl: url, apiKey: "key" });
  cleanUp.defer(async () => {
    await client.close();
    await http.stop();
    await engine.stop("kill");
    await workerServer.stop();
    await store.close();
  });
  return { engine, client };
}
