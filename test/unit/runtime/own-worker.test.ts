/** A worker started by a program of the user's own talks to the service as `sv-worker` does. */
import { randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { startWorker } from "../../../runtime/index.ts";
import { startGrpcService, TOKEN } from "../../contract/job-source/grpc-service.ts";
import { fixture, tracedProcesses } from "./worker-run.ts";

test("takes jobs, drains, and leaves nothing behind", async () => {
  await using service = await startGrpcService();
  const trace = randomUUID();
  const worker = await startWorker(pathToFileURL(fixture("echo")), {
    serviceAddress: service.address,
    workerToken: TOKEN,
    env: { SV_TEST_TRACE: trace },
  });
  const session = await service.nextSession();
  const ids = { workerId: "w", endpointId: "e" };
  session.send({ welcome: { ...ids, leaseMs: 15_000, leaseRenewalMs: 5_000 } });
  await session.until(({ credit }) => credit === 4);
  const lease = { jobId: "job-1", leaseToken: "token-1" };
  const input = Buffer.from('{"n":1}');
  session.send({ jobs: [{ ...lease, attempt: 1, input, executionTimeoutMs: 60_000 }] });
  await session.until((heard) => heard.all("outcomes").length === 1);
  const [outcome] = session.all("outcomes");
  expect(outcome).toMatchObject({ ...lease, outcome: { kind: "completed" } });
  session.send({ outcomeReceipts: [{ ...lease, accepted: true }] });
  worker.drain();
  expect(await worker.ended).toBe("drained");
  expect(tracedProcesses(trace)).toEqual([]);
});

test("without a service it says what to set", async () => {
  await expect(startWorker(fixture("echo"), { workerToken: TOKEN })).rejects.toMatchObject({
    code: "missing_setting",
    message: "A worker needs the option serviceAddress, or the variable SV_SERVICE_ADDRESS.",
  });
});
