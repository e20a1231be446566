/** Warnings about workers' servers that other machines can call. */
import { expect, it } from "vitest";
import type { HealthProbe } from "../../../../emulator/balance/health-probe.ts";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import { createTestEngine } from "../../engine-harness.ts";
import { ScriptedServers } from "./scripted-servers.ts";
import { storeEndpoint } from "../../stored-records.ts";

class WideServers extends ScriptedServers implements HealthProbe {
  addresses: readonly string[] = ["0.0.0.0"];
  looks = 0;

  async wideAddresses(): Promise<readonly string[]> {
    this.looks += 1;
    return this.addresses;
  }
}

async function setUp(servers: WideServers) {
  const test = await createTestEngine(createMemoryStore(), servers, { healthProbe: servers });
  const settings = { type: "LOAD_BALANCING", scalerType: "REQUEST_COUNT", workersMin: 2 } as const;
  await test.addEndpoint("web", settings);
  test.engine.endpointChanged("web");
  await test.clock.settle();
  const warnings = () =>
    test.logged.filter(({ message }) => message.includes("without a key")).length;
  return { test, warnings };
}

it("a healthy server that listens beyond loopback is logged, once for all workers of a version", async () => {
  const servers = new WideServers();
  const { test, warnings } = await setUp(servers);
  servers.at(0).health = 204;
  await test.clock.advance(1_000);
  expect(warnings()).toBe(0);
  for (const server of servers.launched) server.health = 200;
  await test.clock.advance(60_000);
  expect(servers.launched.length).toBe(2);
  expect(test.logged.map(({ message }) => message)).toContain(
    "its server listens at 0.0.0.0: anyone who reaches this machine can call it without a key; it should listen at the address in HOST (127.0.0.1)",
  );
  expect([warnings(), servers.looks]).toEqual([1, 1]);
  const endpoint = test.engine.directory.endpoint("web");
  await storeEndpoint(test.engine, { ...endpoint, version: 2 });
  test.engine.endpointChanged("web");
  await test.clock.advance(1_000);
  for (const server of servers.launched) server.health = 200;
  await test.clock.advance(1_000);
  expect([warnings(), servers.looks]).toEqual([2, 2]);
  await test.stop();
});

it("a server that listens on loopback, or with an unknown address, is not logged", async () => {
  const servers = new WideServers(200);
  servers.addresses = [];
  const { test, warnings } = await setUp(servers);
  await test.clock.advance(60_000);
  expect([warnings(), servers.looks]).toEqual([0, 1]);
  await test.stop();
});
