/** Row: time until an emulator for tests can be called, with twenty started at once in one process. */
import { once } from "node:events";
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { startEmulator } from "../../emulator/index.ts";
import { type Bench, interleave } from "../bench.ts";
import { type Line, lineOf } from "../line.ts";
import { median } from "../statistics.ts";
import type { Row } from "./row.ts";

const AT_ONCE = 20;
const LIMIT_MS = 20;

async function measure(bench: Bench): Promise<readonly Line[]> {
  const measured = await interleave(bench, bench.quick ? 5 : 21, {
    emulators: () => p50(startOne),
    floor: () => p50(openOne),
  });
  const met = median(measured.emulators) <= LIMIT_MS;
  return [
    lineOf({
      what: `startEmulator, ${AT_ONCE} at once, p50 until ready`,
      unit: "ms",
      ours: measured.emulators,
      beside: "node:http port and node:sqlite, p50",
      others: measured.floor,
      target: () => ({ text: `≤ ${LIMIT_MS} ms`, met }),
    }),
  ];
}

/** Time until half of the emulators started at once were ready, ms. All are closed before it resolves. */
async function p50(open: () => Promise<() => Promise<void>>): Promise<number> {
  const startedAt = performance.now();
  const opened = await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      const close = await open();
      return { close, ms: performance.now() - startedAt };
    }),
  );
  for (const { close } of opened) await close();
  const sorted = opened.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return sorted[AT_ONCE / 2] ?? Number.NaN;
}

async function startOne(): Promise<() => Promise<void>> {
  const endpoints = { hello: { handler: () => "Hello!" } };
  const emulator = await startEmulator({ port: 0, clock: "manual", endpoints });
  return () => emulator.stop("kill");
}

async function openOne(): Promise<() => Promise<void>> {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE jobs (seq INTEGER PRIMARY KEY) STRICT");
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return async () => {
    database.close();
    server.close();
    await once(server, "close");
  };
}

export const ready: Row = {
  id: "ready",
  title: "Emulators for tests",
  measure,
};
