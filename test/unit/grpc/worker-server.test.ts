/** What the worker port tells the transport of those who call it. */
import { once } from "node:events";
import { connect } from "node:http2";
import { expect, it } from "vitest";
import { WorkerServer } from "../../../emulator/grpc/worker-server.ts";
import { sessionsOn } from "../../../emulator/engine/workers/session/worker-session.ts";
import { WORKER_SERVICE } from "../../../runtime/protocol/wire/worker-wire.ts";
import { createTestEngine } from "../engine-harness.ts";

it("a worker's session has room for a whole bundle on its way", async () => {
  await using test = await createTestEngine();
  const worker = await test.connectWorker();
  const server = new WorkerServer({
    address: "127.0.0.1:0",
    log: test.engine.log,
    admit: () => ({ worker: worker.worker }),
    openSession: sessionsOn(test.engine),
  });
  await server.start();
  const client = connect(`http://${server.address}`);
  await once(client, "remoteSettings");
  const stream = client.request({
    ":method": "POST",
    ":path": WORKER_SERVICE.session.path,
    "content-type": "application/grpc",
    te: "trailers",
  });
  stream.on("error", () => {});
  await expect.poll(() => client.remoteSettings.initialWindowSize).toBe(4_000_000);
  client.destroy();
  await server.stop();
});
