/** A service whose gRPC cannot be loaded loses the connections that need it, and goes on. */
import { once } from "node:events";
import { registerHooks } from "node:module";
import net from "node:net";
import { expect, it } from "vitest";
import { WorkerServer } from "../../../emulator/grpc/worker-server.ts";
import { sessionsOn } from "../../../emulator/engine/workers/session/worker-session.ts";
import { createTestEngine } from "../engine-harness.ts";

/** Until its disposal the code for gRPC cannot be loaded. */
function withoutGrpc(): Disposable {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (specifier.endsWith("/grpc-workers.ts")) throw new Error("there is no such file");
      return next(specifier, context);
    },
  });
  return { [Symbol.dispose]: () => hooks.deregister() };
}

it("each connection of gRPC is closed with a line of the log, and the service stops as usual", async () => {
  using _ = withoutGrpc();
  await using test = await createTestEngine();
  const { worker } = await test.connectWorker();
  const said: string[] = [];
  const say = (...line: [unknown, string]) => void said.push(line[1]);
  const server = new WorkerServer({
    address: "127.0.0.1:0",
    log: { info: say, warn: say, error: say },
    admit: () => ({ worker }),
    openSession: sessionsOn(test.engine),
  });
  await server.start();
  for (let connection = 0; connection < 2; connection += 1) {
    const socket = net.connect(Number(server.address.split(":").at(-1)));
    socket.on("error", () => undefined).write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    await once(socket, "close");
  }
  await server.stop();
  expect(said).toEqual(Array(2).fill("a connection of gRPC could not be taken"));
});
