/** Where operations are called: those of the interface in each dialect, the emulator's own once. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { CONTRACT_DIALECT } from "../../../emulator/http/dialects/contract-dialect.ts";
import { buildRouter } from "../../../emulator/http/routing.ts";
import { HttpService } from "../../../emulator/http/service.ts";
import { createTestEngine } from "../engine-harness.ts";
import { KEY, testKeys, WEBHOOK_SECRET } from "./http-harness.ts";

it("leads to the emulator's own operations beside the dialects, never below another one's base path", async () => {
  await using test = await createTestEngine();
  const service = new HttpService({
    engine: test.engine,
    keys: testKeys(),
    webhookSecret: WEBHOOK_SECRET,
    log: test.engine.log,
  });
  const other = { ...CONTRACT_DIALECT, basePath: "/other" };
  const server = createServer();
  const router = buildRouter(service, [CONTRACT_DIALECT, other], (listener) =>
    server.on("request", listener),
  );
  await router.ready();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const statusOf = async (method: string, path: string) => {
    const headers = { authorization: KEY, connection: "close" };
    return (await fetch(`http://127.0.0.1:${port}${path}`, { method, headers })).status;
  };
  expect(await statusOf("GET", "/v2/echo/health")).toBe(200);
  expect(await statusOf("GET", "/other/v2/echo/health")).toBe(200);
  expect(await statusOf("POST", "/other/v2/echo/health")).toBe(405);
  expect(await statusOf("GET", "/emulator/clock")).toBe(200);
  expect(await statusOf("DELETE", "/emulator/clock")).toBe(405);
  expect(await statusOf("GET", "/other/emulator/clock")).toBe(404);
  expect(await statusOf("DELETE", "/other/emulator/clock")).toBe(404);
  server.close();
  await router.close();
});
