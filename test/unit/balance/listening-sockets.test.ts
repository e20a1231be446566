/** Listening sockets, by the kernel's own tables and by a copy of them. */
import { once } from "node:events";
import fs from "node:fs";
import { createServer } from "node:net";
import { afterEach, expect, it } from "vitest";
import { addressesIn, wideAddresses } from "../../../emulator/balance/listening-sockets.ts";

/** Other systems list their sockets in other ways, which are not used. */
const hasTables = fs.existsSync("/proc/net/tcp");

const HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n";

it("the tables are read in the kernel's form", () => {
  const table =
    `${HEAD}   0: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0\n` +
    "   1: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0\n" +
    "   2: 0501A8C0:1F90 0601A8C0:1234 01 00000000:00000000 00:00000000 00000000     0\n" +
    "   3: 0501A8C0:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0\n";
  expect(addressesIn(table, 8_080)).toEqual(["0.0.0.0", "127.0.0.1"]);
  expect(addressesIn(table, 8_081)).toEqual(["192.168.1.5"]);
  expect(addressesIn(table, 1)).toEqual([]);
  const table6 =
    `${HEAD}   0: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A 0\n` +
    "   1: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A 0\n" +
    "   2: B80D0120000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A 0\n" +
    "   3: 0000000000000000FFFF00000501A8C0:1F90 00000000000000000000000000000000:0000 0A 0\n";
  expect(addressesIn(table6, 8_080)).toEqual(["[::]", "[::1]", "[2001:db8::1]", "192.168.1.5"]);
  expect(addressesIn("", 8_080)).toEqual([]);
});

const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listenAt(host: string, port = 0): Promise<number> {
  const server = createServer();
  servers.push(server);
  await once(server.listen({ host, port, ipv6Only: host === "::" }), "listening");
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

it.runIf(hasTables)("a socket of this machine is found by its port", async () => {
  expect(await wideAddresses(await listenAt("127.0.0.1"))).toEqual([]);
  const everywhere = await listenAt("0.0.0.0");
  expect(await wideAddresses(everywhere)).toEqual(["0.0.0.0"]);
  servers.pop()?.close();
});

it.runIf(hasTables)(
  "if a server listens on loopback alone, others on the same port are not reported",
  async () => {
    const port = await listenAt("127.0.0.1");
    await listenAt("127.0.0.2", port);
    expect(await wideAddresses(port)).toEqual([]);
  },
);
