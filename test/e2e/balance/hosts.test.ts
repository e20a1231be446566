/**
 * Listening addresses of the servers of load balancing endpoints: the example, the starter's, and one with an address of its
 * own.
 */
import { once } from "node:events";
import fs from "node:fs";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import path from "node:path";
import { request } from "undici";
import { expect, test } from "vitest";
import { temporaryTree } from "../../temporary-tree.ts";
import { type EmulatorProcess, startEmulatorProcess } from "../emulator-process.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");

/** An address that others on its network know this machine by. */
const address = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

/** Without the system's tables of sockets there is no warning. */
const hasTables = fs.existsSync("/proc/net/tcp");

const SERVER = (where: string) => `
  import { createServer } from "node:http";
  createServer((request, response) => response.end(process.env.PORT)).listen(${where});`;

const TREE = {
  "asked/server.js": SERVER("Number(process.env.PORT), process.env.HOST"),
  "everywhere/server.js": SERVER("Number(process.env.PORT)"),
};

async function portOf(emulator: EmulatorProcess, endpointId: string): Promise<number> {
  const headers = { authorization: `Bearer ${emulator.apiKey}` };
  const answer = await request(`${emulator.url}/lb/${endpointId}/`, { headers });
  return Number(await answer.body.text());
}

async function isReachedFromOutside(port: number): Promise<boolean> {
  const socket = connect(port, address);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

test.skipIf(address === undefined)(
  "a server that listens where it is told is not reached from outside, and one warning names a server that listens everywhere",
  async () => {
    await using tree = await temporaryTree({
      ...TREE,
      "sv.config.json": JSON.stringify({
        endpoints: {
          asked: { handler: "asked", workersMin: 1 },
          everywhere: { handler: "everywhere", workersMin: 2, workersMax: 2 },
          example: { handler: path.join(ROOT, "examples/http-server"), workersMin: 1 },
          starter: { handler: path.join(ROOT, "templates/load-balanced"), workersMin: 1 },
        },
      }),
    });
    await using emulator = await startEmulatorProcess({ args: ["--ephemeral"], cwd: tree.root });
    expect(await isReachedFromOutside(await portOf(emulator, "asked"))).toBe(false);
    const wide = await portOf(emulator, "everywhere");
    expect(await isReachedFromOutside(wide)).toBe(true);
    if (hasTables) {
      const [line] = await emulator.stderrMatch(/^.*can call it without a key.*$/u);
      expect(JSON.parse(line)).toMatchObject({ level: "warn", endpointId: "everywhere" });
    }
    // All others are healthy now and would have been reported.
    for (const id of ["example", "starter"]) {
      const headers = { authorization: `Bearer ${emulator.apiKey}` };
      const answer = await request(`${emulator.url}/lb/${id}/`, { headers });
      expect([id, answer.statusCode]).toEqual([id, 200]);
      await answer.body.dump();
    }
    await emulator.stop();
    const warnings = emulator.stderrLines.filter((each) => each.includes("without a key"));
    expect(warnings.length).toBe(hasTables ? 1 : 0);
  },
);
