/** Rules of a delivery: times of its tries, meaning of answers, content of its body. */
import { expect, it } from "vitest";
import {
  afterTry,
  deliveryFrame,
  deliveryPieces,
  dueAgain,
  newDelivery,
} from "../../../emulator/core/webhooks/delivery.ts";
import { jobIn } from "../core/jobs/sample-job.ts";

const NOW = 1_000_000;
const job = { ...jobIn("COMPLETED"), webhook: "http://user.test:81/hook?token=1" };
const fresh = { ...newDelivery(job, { seq: 9, isFirst: true }, NOW), sizeBytes: 3 };
const tried = (status: number | undefined, delivery = fresh, at = NOW) =>
  afterTry(
    delivery,
    { at, durationMs: 1, ...(status === undefined ? { error: "no answer" } : { status }) },
    { "webhook-id": delivery.id },
    at,
  );

it("a new delivery is due at once, unless an earlier one of its job is pending", () => {
  expect(fresh).toMatchObject({ state: "pending", nextTryAt: NOW, triesLeft: 3, tries: [] });
  expect(fresh.origin).toBe("http://user.test:81");
  const second = newDelivery(job, { seq: 10, isFirst: false }, NOW);
  expect(second).toMatchObject({ state: "pending", nextTryAt: undefined });
});

it.each([
  [200, "delivered", undefined],
  [201, "delivered", "the receiver answered 201; it should answer 200"],
  [204, "delivered", "the receiver answered 204; it should answer 200"],
  [299, "delivered", "the receiver answered 299; it should answer 200"],
  [199, "pending", undefined],
  [300, "pending", undefined],
  [301, "pending", undefined],
  [404, "pending", undefined],
  [500, "pending", undefined],
  [undefined, "pending", undefined],
] as const)("after the answer %s the delivery is %s", (status, state, warning) => {
  const after = tried(status);
  expect(after.state).toBe(state);
  expect(after.tries[0]?.warning).toBe(warning);
  expect(after.nextTryAt).toBe(state === "pending" ? NOW + 10_000 : undefined);
  expect(after.settledAt).toBe(state === "pending" ? undefined : NOW);
});

it("the third failed try is the last", () => {
  const second = tried(500, tried(500), NOW + 10_000);
  expect(second).toMatchObject({ state: "pending", nextTryAt: NOW + 20_000, triesLeft: 1 });
  const third = tried(undefined, second, NOW + 20_000);
  expect(third).toMatchObject({ state: "failed", triesLeft: 0, settledAt: NOW + 20_000 });
  expect(third.nextTryAt).toBeUndefined();
  expect(third.tries.map(({ at }) => at - NOW)).toEqual([0, 10_000, 20_000]);
});

it("a delivery that is sent again has three new tries, its old id, and the newest part of its history", () => {
  const delivered = tried(200);
  const again = dueAgain(delivered, NOW + 5);
  expect(again).toMatchObject({ state: "pending", nextTryAt: NOW + 5, triesLeft: 3 });
  expect(again).toMatchObject({ id: fresh.id, tries: delivered.tries, settledAt: undefined });
  let delivery = again;
  for (let at = NOW; at < NOW + 100; at += 1) delivery = dueAgain(tried(200, delivery, at), at);
  expect(delivery.tries).toHaveLength(30);
  expect(delivery.tries.at(-1)?.at).toBe(NOW + 99);
});

it("a job that ends again after a retry has a delivery with another id", () => {
  const again = { ...job, retries: job.retries + 1 };
  const second = newDelivery(again, { seq: 10, isFirst: true }, NOW);
  expect(second.id).not.toBe(fresh.id);
  expect(second.id).toContain(job.id);
});

it.each([
  ["with an output", Buffer.from("[1,  2]"), [1, 2]],
  ["without an output", undefined, undefined],
])("the body is the job as in /status, with webhook and input, %s", (_name, output, shown) => {
  const input = Buffer.from('{"big": 12345678901234567890}');
  const pieces = deliveryPieces(deliveryFrame(job), input, output);
  const text = pieces.map((piece) => Buffer.from(piece).toString()).join("");
  const { delayTimeMs, executionTimeMs } = job;
  expect(JSON.parse(text)).toEqual({
    id: job.id,
    status: "COMPLETED",
    delayTime: delayTimeMs,
    executionTime: executionTimeMs,
    ...(shown && { output: shown }),
    workerId: job.workerId,
    webhook: job.webhook,
    input: { big: Number("12345678901234567890") },
  });
  expect(text).toContain('{"big": 12345678901234567890}');
});
