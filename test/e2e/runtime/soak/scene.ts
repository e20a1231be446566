/** The place of a soak: the emulator's options, a directory for all its files, and the frequency of strikes. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { History } from "../../crash/history.ts";

const WORKERS = 4;
/** Jobs that a worker takes at a time, as the fixture sets. */
export const CONCURRENCY = 8;
export const STRIKES = 20;
export const LEASE_MS = 3_000;
/** A job is struck at most once per strike, so only jobs that always crash can use up their attempts. */
export const TRIES_LEFT = STRIKES + 1;
export const API_KEY = "soak-key";

const handler = path.resolve(
  import.meta.dirname,
  "../../../fixtures/handlers/misbehaves-in-many-ways.ts",
);
const tap = new URL("../../../fixtures/preload/taps-the-session.ts", import.meta.url);

export function makeScene() {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "sv-soak-"));
  const temporary = path.join(directory, "tmp");
  fs.mkdirSync(temporary);
  const facts = path.join(directory, "facts.jsonl");
  const env = {
    TAP_FILE: facts,
    NODE_OPTIONS: `--max-old-space-size=192 --import ${tap.href}`,
    SV_GRACE_MS: "300",
  };
  const settings = {
    workersMin: WORKERS,
    workersMax: WORKERS,
    executionTimeoutMs: 120_000,
    retries: { workerLost: TRIES_LEFT, handlerError: 0 },
  };
  return {
    temporary,
    history: new History(facts),
    mark: `TAP_FILE=${facts}`,
    options: {
      port: 0,
      apiKey: API_KEY,
      dataDir: path.join(directory, "data"),
      leaseMs: LEASE_MS,
      // All jobs are submitted at once.
      limits: "off" as const,
      handlers: [{ id: "soak", path: handler, env, settings }],
    },
    [Symbol.dispose]: () => fs.rmSync(directory, { recursive: true, force: true }),
  };
}
