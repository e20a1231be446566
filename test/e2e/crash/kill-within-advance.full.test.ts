/**
 * The emulator is killed in the middle of an advance of its clock: time and jobs stay at the last stop of the
 * advance.
 */
import fs from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createClient, NotFoundError } from "../../../runtime/client/index.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { Gate } from "../jobs/gate.ts";
import { API_KEY, KillableEmulator } from "./killable-emulator.ts";

const headers = { authorization: `Bearer ${API_KEY}` };
const handler = path.resolve(import.meta.dirname, "../../fixtures/handlers/waits-at-a-gate.ts");

/** Moments at which an advance stops. */
const WAITING = 150;
const FIRST_TTL_MS = 20_000;

/** Resolves when the service has reported `count` jobs with an expired time to live. */
async function expiries(url: string, count: number, following: () => void): Promise<void> {
  const response = await fetch(`${url}/emulator/events?endpointId=gated`, { headers });
  following();
  let text = "";
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    if (text.split('"by":"expire"').length > count) return;
  }
}

async function offsetOf(url: string): Promise<{ nowMs: number; offsetMs: number }> {
  const response = await fetch(`${url}/emulator/clock`, { headers });
  return (await response.json()) as { nowMs: number; offsetMs: number };
}

test("time continues from the last stop of the advance, and the job that ran is run again", async () => {
  await using tree = await temporaryTree({});
  await using gate = await Gate.build();
  const config = tree.path("sv.json");
  const endpoints = { gated: { handler, workersMax: 1 } };
  await fs.writeFile(config, JSON.stringify({ endpoints, dataDir: "data" }));
  const first = new KillableEmulator({ config, port: 0 });
  const url = await first.ready;
  const client = createClient({ baseUrl: url, apiKey: API_KEY });
  const running = await client.endpoint("gated").run(gate.input("running"));
  await gate.arrival("running");
  const waiting: { readonly id: string }[] = [];
  for (let ttlMs = FIRST_TTL_MS; waiting.length < WAITING; ttlMs += 10_000) {
    waiting.push(await client.endpoint("gated").run({ gate: "" }, { policy: { ttl: ttlMs } }));
  }
  const { nowMs: beganAt } = await offsetOf(url);
  const { promise: following, resolve } = Promise.withResolvers<void>();
  const reached = expiries(url, 5, resolve);
  await following;
  const body = JSON.stringify({ advance: "23h" });
  const advance = fetch(`${url}/emulator/clock`, { method: "POST", headers, body });
  const outcome = advance.then(
    () => "answered",
    () => "cut off",
  );
  await reached;
  await first.kill();
  expect(await outcome).toBe("cut off");
  await client.close();
  await gate.open("running", "nobody listens");

  await using second = new KillableEmulator({ config, port: 0 });
  const secondUrl = await second.ready;
  await using again = createClient({ baseUrl: secondUrl, apiKey: API_KEY });
  const { nowMs, offsetMs } = await offsetOf(secondUrl);
  const fifth = FIRST_TTL_MS + 4 * 10_000;
  // Submitting took real time: the moments are earlier than those counted from here.
  expect(offsetMs).toBeGreaterThan(fifth - 20_000);
  expect(offsetMs).toBeLessThan(23 * 3_600_000);
  expect(nowMs).toBeGreaterThan(beganAt + offsetMs);
  const gated = again.endpoint("gated");
  const [soonest, latest] = [waiting.at(0)?.id ?? "", waiting.at(-1)?.id ?? ""];
  await expect(gated.status(soonest)).rejects.toThrow(NotFoundError);
  expect((await gated.status(latest)).id).toBe(latest);
  expect(await gate.arrival("running")).toBe(running.id);
  await gate.open("running");
  const done = await gated.wait(running.id);
  expect(done).toMatchObject({ status: "COMPLETED", output: "through" });
  expect(done.executionTime).toBeLessThan(20_000);
  console.log(`figure: killed ${Math.round(offsetMs / 1_000)} s into an advance of 23 h`);
});
