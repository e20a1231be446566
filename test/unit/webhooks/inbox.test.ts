/** The inbox over HTTP: deliveries are listed, filtered, shown as sent, and sent again. */
import { expect, it } from "vitest";
import { startTestHttp, type TestHttp, WEBHOOK_SECRET } from "../http/http-harness.ts";
import { completeHooked, HOOK, submitHooked } from "./hooked-jobs.ts";

interface Listed {
  readonly deliveries: readonly { readonly id: string; readonly jobId: string }[];
  readonly next?: string;
}

async function list(service: TestHttp, query = ""): Promise<Listed> {
  const answer = await service.call("GET", `/emulator/webhooks${query}`);
  expect(answer.status).toBe(200);
  return answer.json as Listed;
}

it("the inbox lists deliveries with their tries, newest first and page by page", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker("echo", { credit: 0 });
  const jobs = [];
  for (let count = 0; count < 5; count += 1) jobs.push(await completeHooked(service.test, worker));
  const { deliveries } = await list(service);
  expect(deliveries.map(({ jobId }) => jobId)).toEqual(jobs.map(({ jobId }) => jobId).toReversed());
  expect(deliveries[0]).toEqual({
    id: `msg_${jobs[4]?.jobId}_0`,
    jobId: jobs[4]?.jobId,
    endpointId: "echo",
    jobStatus: "COMPLETED",
    url: HOOK,
    state: "delivered",
    createdAt: "2026-01-01T00:00:00.000Z",
    tries: [{ at: "2026-01-01T00:00:00.000Z", durationMs: 5, status: 200 }],
  });
  const first = await list(service, "?limit=3");
  expect(first.deliveries).toEqual(deliveries.slice(0, 3));
  const rest = await list(service, `?limit=3&after=${first.next}`);
  expect(rest).toEqual({ deliveries: deliveries.slice(3) });
  const one = await list(service, `?jobId=${jobs[2]?.jobId}`);
  expect(one.deliveries).toEqual([deliveries[2]]);
  expect((await list(service, "?state=failed")).deliveries).toEqual([]);
  expect((await list(service, "?state=delivered&endpointId=echo")).deliveries).toHaveLength(5);
  expect((await list(service, "?endpointId=another")).deliveries).toEqual([]);
});

it.each([
  ["?state=done", "state must be one of pending, delivered, failed"],
  ["?limit=0", "limit must be one integer from 1 to 100"],
  ["?after=none", "after names no delivery"],
  ["?jobId=a&jobId=b", "jobId must be given once"],
])("the inbox refuses the query %s", async (query, problem) => {
  await using service = await startTestHttp();
  const answer = await service.call("GET", `/emulator/webhooks${query}`);
  expect(answer.status).toBe(400);
  expect(answer.json).toMatchObject({ code: "invalid_request" });
  expect(answer.text).toContain(problem);
});

it("the inbox shows a delivery with the request as sent, byte for byte", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker("echo", { credit: 0 });
  await completeHooked(service.test, worker, {
    input: '{"n":  1.50}',
    output: Buffer.from("[1,  2]"),
  });
  const [delivery] = (await list(service)).deliveries;
  const answer = await service.call("GET", `/emulator/webhooks/${delivery?.id}`);
  expect(answer.status).toBe(200);
  expect(answer.json).toMatchObject({
    ...delivery,
    request: {
      method: "POST",
      headers: { "webhook-id": delivery?.id },
      body: { status: "COMPLETED", output: [1, 2], input: { n: 1.5 }, webhook: HOOK },
    },
  });
  expect(answer.text).toContain('"output":[1,  2]');
  expect(answer.text).toContain('"input":{"n":  1.50}');
});

it("the inbox sends a delivery again; an unknown one is 404", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker("echo", { credit: 0 });
  await completeHooked(service.test, worker);
  const [delivery] = (await list(service)).deliveries;
  const again = await service.call("POST", `/emulator/webhooks/${delivery?.id}/redeliver`);
  expect(again.status).toBe(200);
  expect(again.json).toMatchObject({ id: delivery?.id, state: "pending" });
  await service.test.clock.settle();
  expect((await list(service)).deliveries).toMatchObject([{ tries: [{}, {}], state: "delivered" }]);
  for (const [method, path] of [
    ["GET", "/emulator/webhooks/none"],
    ["POST", "/emulator/webhooks/none/redeliver"],
  ] as const) {
    const missing = await service.call(method, path);
    expect(missing.status).toBe(404);
    expect(missing.json).toMatchObject({ code: "delivery_not_found" });
  }
});

it("the secret is shown to holders of the key, and never logged", async () => {
  await using service = await startTestHttp();
  const answer = await service.call("GET", "/emulator/webhooks/secret");
  expect(answer.json).toEqual({ secret: WEBHOOK_SECRET });
  const headers = { authorization: "Bearer another" };
  expect((await service.call("GET", "/emulator/webhooks/secret", { headers })).status).toBe(401);
  expect(JSON.stringify(service.test.logged)).not.toContain("whsec_");
});

it("a webhook with a user name or a password is refused without showing them", async () => {
  await using service = await startTestHttp();
  for (const webhook of ["https://user:secret@host.test/", "http://user@host.test/x"]) {
    const answer = await service.call("POST", "/v2/echo/run", { body: { input: {}, webhook } });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain("webhook must not contain a user name or a password");
    expect(answer.text).not.toContain("user:secret");
  }
  await submitHooked(service.test);
  expect((await list(service)).deliveries).toEqual([]);
});
