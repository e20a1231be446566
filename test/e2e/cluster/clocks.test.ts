/** Replicas on machines with wrong clocks: no wall clock decides what is deleted. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { fakeTimeIn, fakeTimeIsMissing } from "../../setup/fake-time.ts";
import { freePort } from "../../setup/free-port.ts";
import { postgresIsMissing, startPostgres } from "../../setup/postgres.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { SECRET_KEY } from "../database/on-database.ts";
import { startEmulatorProcess } from "../emulator-process.ts";

const SOON = { interval: 200 };
const DAY_MS = 86_400_000;
const NAMES = ["a", "b", "c", "d", "e", "f"];
/** Endpoints without workers: their jobs stay in the queue. */
const ENDPOINTS = Object.fromEntries(
  NAMES.map((name) => [name, { handler: "./handler.js", workersMin: 0, workersMax: 0 }]),
);

async function makeScene(store: string) {
  const tree = await temporaryTree({
    "handler.js": "export default ({ input }) => input;",
    "sv.json": JSON.stringify({ endpoints: ENDPOINTS }),
  });
  const ask = async (url: string, way: string, body?: object) => {
    const answer = await fetch(`${url}${way}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: "Bearer clocks-key" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  return {
    ask,
    async start(name: string, aheadSeconds = 0) {
      const directory = path.join(tree.root, name);
      mkdirSync(directory);
      const time = fakeTimeIn(directory, "wall");
      time.setForward(aheadSeconds);
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      const place = ["--port", String(port), "--data-dir", directory, "--advertise", url];
      const env = { ...time.env, SV_STORE: store, SV_SECRET_KEY: SECRET_KEY };
      const settings = { SV_API_KEY: "clocks-key", SV_LIMITS: "off" };
      const args = ["sv.json", ...place, "--log", "json"];
      return startEmulatorProcess({ args, cwd: tree.root, env: { ...env, ...settings } });
    },
    /** How many partitions the replica that is asked has. */
    async partitionsOf(url: string): Promise<number> {
      const { body } = await ask(url, "/emulator/replicas");
      const replicas = body["replicas"] as { id: string; partitions?: unknown[] }[];
      return replicas.find(({ id }) => id === body["answeredBy"])?.partitions?.length ?? 0;
    },
    [Symbol.asyncDispose]: () => tree[Symbol.asyncDispose](),
  };
}

describe.runIf(postgresIsMissing === undefined && fakeTimeIsMissing === undefined)(
  "a replica whose clock is 2 days ahead",
  () => {
    it("joins, takes partitions and leaves, and every waiting job keeps its time to live", async () => {
      await using postgres = await startPostgres(["fsync=off"]);
      await using scene = await makeScene(postgres.url());
      await using right = await scene.start("right");
      const ids: string[] = [];
      for (let n = 0; n < 30; n += 1) {
        const way = `/v2/${NAMES[n % NAMES.length]}/run`;
        const { body } = await scene.ask(right.url, way, { input: { n }, policy: { ttl: DAY_MS } });
        expect(body).toMatchObject({ status: "IN_QUEUE" });
        ids.push(`${NAMES[n % NAMES.length]}/status/${String(body["id"])}`);
      }
      const ahead = await scene.start("ahead", (2 * DAY_MS) / 1_000);
      await expect.poll(() => scene.partitionsOf(ahead.url), SOON).toBeGreaterThan(20);
      expect((await ahead.stop()).code).toBe(0);
      await expect.poll(() => scene.partitionsOf(right.url), SOON).toBe(64);
      const found = await Promise.all(ids.map((id) => scene.ask(right.url, `/v2/${id}`)));
      expect(found.filter(({ status }) => status !== 200)).toEqual([]);
      const clock = await scene.ask(right.url, "/emulator/clock");
      expect(Math.abs(Date.parse(String(clock.body["now"])) - Date.now())).toBeLessThan(5_000);
    });
  },
);
