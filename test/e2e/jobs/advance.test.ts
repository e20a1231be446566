/** Advances the service's clock while real workers run jobs: waits follow it, running handlers do not. */
import { expect, test } from "vitest";
import { NotFoundError } from "../../../runtime/client/index.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";

const GATED = { handler: "waits-at-a-gate.ts", workersMin: 0, workersMax: 1, idleTimeout: 5 };

async function advance(stage: Stage, by: string): Promise<unknown> {
  const { url, apiKey } = stage.emulator;
  const response = await fetch(`${url}/emulator/clock`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ advance: by }),
  });
  return response.json();
}

test("a running handler does not notice an advance of half an hour, and its worker leaves when its idle time is over", async () => {
  await using stage = await Stage.set({ endpoints: { gated: GATED } });
  await using gate = await Gate.build();
  const gated = stage.endpoint("gated");
  const { id } = await gated.run(gate.input("at-work"), { policy: { executionTimeout: 60_000 } });
  await gate.arrival("at-work");
  const startedAt = performance.now();
  expect(await advance(stage, "31m")).toMatchObject({ settled: true, offsetMs: 1_860_000 });
  await gate.open("at-work");
  const done = await gated.wait(id);
  const realMs = performance.now() - startedAt;
  expect(done).toMatchObject({ status: "COMPLETED", output: "through" });
  expect(done.executionTime).toBeLessThan(realMs + 2_000);
  expect((await gated.health()).workers).toMatchObject({ idle: 1 });

  const leavingAt = performance.now();
  expect(await advance(stage, "29m")).toMatchObject({ settled: true });
  const leftMs = performance.now() - leavingAt;
  expect((await gated.health()).workers).toMatchObject({ idle: 0, running: 0 });
  expect(await gated.status(id)).toMatchObject({ status: "COMPLETED" });
  await advance(stage, "1m");
  await expect(gated.status(id)).rejects.toThrow(NotFoundError);
  console.log(`figure: an advance in which a worker leaves takes ${leftMs.toFixed(0)} ms`);
});
