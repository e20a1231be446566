/** The HTTP interface before a load balancing endpoint `web` with one worker, a server that the test scripts. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { Readable } from "node:stream";
import { createServiceEngine } from "../../engine-harness.ts";
import { ScriptedServers } from "../../engine/balancing/scripted-servers.ts";
import { startTestHttp, type TestHttp, type TestHttpOptions } from "../http-harness.ts";

export interface BalancedHttp extends AsyncDisposable {
  readonly service: TestHttp;
  /** The worker's server, for listeners of `request` and `upgrade`. */
  readonly server: Server;
  readonly workerId: string;
  /** Port of the service. */
  readonly port: number;
}

export async function startBalancedHttp(
  options: Pick<
    TestHttpOptions,
    "certificate" | "stopGraceMs" | "allowedHosts" | "allowedOrigins" | "ownership" | "trustProxy"
  > = {},
): Promise<BalancedHttp> {
  const server = createServer();
  server.listen({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const servers = new ScriptedServers(200, () => port);
  const test = await createServiceEngine(servers, { healthProbe: servers });
  await test.addEndpoint("web", {
    type: "LOAD_BALANCING",
    scalerType: "REQUEST_COUNT",
    scalerValue: 1_000,
    workersMin: 1,
  });
  test.engine.endpointChanged("web");
  await test.clock.settle();
  const service = await startTestHttp({ ...options, engine: test });
  return {
    service,
    server,
    workerId: servers.at(0).order.workerId,
    port: Number(new URL(service.url).port),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await service[Symbol.asyncDispose]();
    },
  };
}

/** Waits until it is closed in any way. */
export function closing(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    stream.on("error", () => undefined).once("close", resolve);
  });
}
