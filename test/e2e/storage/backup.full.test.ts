/** A copy of a data directory made while its emulator works, as in docs/operating.md, works for another emulator. */
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { temporaryTree } from "../../temporary-tree.ts";
import { startEmulatorProcess } from "../emulator-process.ts";

const run = promisify(execFile);
const BACKUPS = 10;
const API_KEY = "key-of-the-directory";
const HANDLERS = {
  "handlers/echo/handler.js": "export const concurrency = 8; export default (job) => job.input;",
};
/** The commands of the docs. */
const BACKUP = `
  kill -STOP "$(cat data/emulator.pid)"
  cp -a data backup || failed=1
  kill -CONT "$(cat data/emulator.pid)"
  exit "\${failed:-0}"`;

interface Acknowledged {
  readonly id: string;
  readonly text: string;
}

describe("a backup of a data directory", () => {
  it(
    `taken ${BACKUPS} times under load, has all that was acknowledged before it, byte for byte`,
    { timeout: 60_000 + BACKUPS * 30_000 },
    async () => {
      await using tree = await temporaryTree(HANDLERS);
      const start = (dataDir: string) =>
        startEmulatorProcess({
          args: ["handlers", "--data-dir", dataDir, "--log", "json"],
          cwd: tree.root,
          env: { SV_API_KEY: API_KEY, SV_LIMITS: "off" },
        });
      await using emulator = await start("data");
      for (let backup = 0; backup < BACKUPS; backup += 1) {
        const acknowledged: Acknowledged[] = [];
        const over = new AbortController();
        const load = [1, 200, 400_000].map((bytes) =>
          submitUntil(emulator.url, over.signal, bytes, acknowledged),
        );
        await expect.poll(() => acknowledged.length).toBeGreaterThan(30);
        const before = [...acknowledged];
        await run("sh", ["-c", BACKUP], { cwd: tree.root });
        const atBackup = acknowledged.length;
        await expect.poll(() => acknowledged.length).toBeGreaterThan(atBackup + 10);
        over.abort();
        await Promise.all(load);
        {
          await using restored = await start("backup");
          for (const { id, text } of before)
            await expect
              .poll(() => statusOf(restored.url, id))
              .toMatchObject({
                status: "COMPLETED",
                output: { text },
              });
          expect((await restored.stop()).code).toBe(0);
          expect(restored.stderrLines.join("\n")).not.toMatch(/damaged/);
        }
        for (const { id } of acknowledged.slice(-5))
          await expect
            .poll(() => statusOf(emulator.url, id))
            .toMatchObject({ status: "COMPLETED" });
        fs.rmSync(path.join(tree.root, "backup"), { recursive: true });
      }
    },
  );
});

async function submitUntil(
  url: string,
  signal: AbortSignal,
  bytes: number,
  acknowledged: Acknowledged[],
): Promise<void> {
  while (!signal.aborted) {
    const text = `${crypto.randomUUID()} `.repeat(Math.ceil(bytes / 37));
    const { id } = await call(`${url}/v2/echo/run`, {
      input: { text },
      policy: { ttl: 3_600_000 },
    });
    acknowledged.push({ id: String(id), text });
  }
}

function statusOf(url: string, id: string): Promise<Record<string, unknown>> {
  return call(`${url}/v2/echo/status/${id}`);
}

async function call(url: string, body?: unknown): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${API_KEY}` };
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(url, { headers, ...sent });
  return (await answer.json()) as Record<string, unknown>;
}
