/** A worker's credit when it is used, returned and withdrawn, in any order. */
import { expect, it } from "vitest";
import { WorkerCredit } from "../../../../../emulator/engine/workers/session/worker-credit.ts";
import { createTestEngine } from "../../../engine-harness.ts";
import { ScriptedWorker } from "../../../scripted-worker.ts";

function granted(count: number): WorkerCredit {
  const credit = new WorkerCredit();
  credit.grant(count);
  return credit;
}

it("credit is used by a hand-over, and free again if that is undone or not sent", () => {
  const credit = granted(2);
  credit.reserve("a");
  credit.reserve("b");
  expect(credit).toMatchObject({ free: 0, heldCount: 2, unsentCount: 2 });
  credit.giveBack("a");
  expect(credit.stopSending("b")).toBe(true);
  expect(credit).toMatchObject({ free: 2, heldCount: 1, unsentCount: 0 });
});

it("credit is not free again once the job was sent", () => {
  const credit = granted(1);
  credit.reserve("a");
  expect(credit.startSending("a")).toBe(true);
  expect(credit.stopSending("a")).toBe(false);
  expect(credit.release("a")).toBe(true);
  expect(credit.free).toBe(0);
});

it("withdrawn credit does not come back for jobs in transit, which are still sent", () => {
  const credit = granted(3);
  credit.reserve("a");
  credit.reserve("b");
  credit.withdraw();
  expect(credit.free).toBe(0);
  credit.giveBack("a");
  expect(credit.free).toBe(0);
  expect(credit.startSending("b")).toBe(true);
  credit.grant(1);
  credit.reserve("b");
  credit.giveBack("b");
  expect(credit.free).toBe(1);
});

it("a new connection starts without credit, and unsent jobs are not sent", () => {
  const credit = granted(2);
  credit.reserve("a");
  credit.reset();
  expect(credit).toMatchObject({ free: 0, heldCount: 1, unsentCount: 0 });
  expect(credit.startSending("a")).toBe(false);
});

it("a worker that names a lease that is no more holds no job after its renewal", async () => {
  await using test = await createTestEngine();
  const { worker } = await test.connectWorker();
  const again = new ScriptedWorker(test.engine, worker);
  const held = [{ jobId: "gone", leaseToken: "gone" }];
  await again.report({ hello: { protocolVersion: 1, runtimeVersion: "0.0.0-test", held } });
  expect(worker.heldCount).toBe(1);
  await again.report({ renewals: held });
  expect(again.orders.at(-1)).toMatchObject({ revocations: [{ reason: "lease-lost" }] });
  expect(worker.heldCount).toBe(0);
});
