/** The live dialect as a transport of the contract: its part of the HTTP interface, before the real engine. */
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { KeyRing } from "../../../emulator/core/access/key-ring.ts";
import { callerCheck } from "../../../emulator/assembly/callers.ts";
import { createHttpServer } from "../../../emulator/http/server.ts";
import { LiveWorkers } from "../../../emulator/live/live-workers.ts";
import { liveEnvironment } from "../../../emulator/launch/live-environment.ts";
import { localEndpoint, localTemplate } from "../../../emulator/handlers/local-endpoint.ts";
import { liveSource } from "../../live-queue/live-source.ts";
import type { EngineDoor, Transport } from "./engine-service.ts";

/** HTTP on a port of this machine. */
export async function overLiveHttp({ engine, openSession }: EngineDoor): Promise<Transport> {
  const http = createHttpServer({
    engine,
    callers: callerCheck("127.0.0.1", {}),
    keys: new KeyRing([], engine.clock),
    webhookSecret: "none is called",
    log: engine.log,
    liveWorkers: new LiveWorkers(engine, openSession),
  });
  let server = await listen(http.forWorkers, 0);
  const { port } = server.address() as AddressInfo;
  const cut = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return {
    newSource: (token) => liveSource(environmentOf(token, `http://127.0.0.1:${port}`)),
    cut,
    restore: async () => {
      server = await listen(http.forWorkers, port);
    },
    async [Symbol.asyncDispose]() {
      await cut();
      await http.stop();
    },
  };
}

/** The address that a launcher gives a worker; here the token is the worker's id as well. */
function environmentOf(token: string, url: string): Readonly<Record<string, string>> {
  const local = { id: "echo" };
  const endpoint = localEndpoint(local, new Date(0).toISOString());
  const template = localTemplate(local);
  const order = { workerId: token, workerToken: token, endpoint, template, gpus: [] };
  const service = { url, pingIntervalMs: 1_000, cpuCount: 1 };
  const { settings, identity } = liveEnvironment(order, service);
  return { ...settings, ...identity };
}

async function listen(listener: RequestListener, port: number): Promise<Server> {
  const server = createServer(listener);
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}
