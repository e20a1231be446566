/** Orders for a worker: those that may overtake a large job in transit, and those that follow it. */
import { expect, it } from "vitest";
import { OrderBundle } from "../../../emulator/grpc/order-bundle.ts";
import type { HandedJob } from "../../../runtime/protocol/outcome.ts";
import { PIECE_BYTES } from "../../../runtime/protocol/wire/worker-wire.ts";

function job(jobId: string, bytes: number): HandedJob {
  const input = new Uint8Array(bytes);
  return { jobId, leaseToken: `token-${jobId}`, attempt: 1, input, executionTimeoutMs: 1 };
}

const large = job("large", PIECE_BYTES + 1);
const small = job("small", 1);
const revocationOf = ({ jobId, leaseToken }: HandedJob) =>
  ({ jobId, leaseToken, reason: "cancelled" }) as const;

it("a large job is sent alone, after all other messages", () => {
  const bundle = new OrderBundle();
  bundle.add({ jobs: [large, small], drain: true });
  expect(bundle.take(false)).toEqual({ jobs: [], drain: true });
  expect(bundle.take(false)).toEqual({ jobs: [large] });
  expect(bundle.take(true)).toBeUndefined();
  expect(bundle.take(false)).toEqual({ jobs: [small] });
  expect(bundle.isEmpty).toBe(true);
});

it("an input ahead of its job is sent alone, after everything else, and gives way to a newer one", () => {
  const bundle = new OrderBundle();
  const older = { jobId: "a", input: new Uint8Array(9) };
  const newer = { jobId: "b", input: new Uint8Array(9) };
  bundle.add({ inputAhead: older });
  bundle.add({ inputAhead: newer });
  bundle.add({ jobs: [small] });
  expect(bundle.take(false)).toEqual({ jobs: [small] });
  expect(bundle.take(true)).toBeUndefined();
  expect(bundle.take(false)).toEqual({ inputAhead: newer });
  expect(bundle.isEmpty).toBe(true);
});

it("a revocation that waited for its job goes before an input ahead of another job, and is not kept by it", () => {
  const bundle = new OrderBundle();
  bundle.add({ jobs: [large] });
  expect(bundle.take(false)?.jobs).toEqual([]);
  expect(bundle.take(false)?.jobs).toEqual([large]);
  bundle.add({ inputAhead: { jobId: "next", input: new Uint8Array(9) } });
  bundle.add({ revocations: [revocationOf(large)] });
  expect(bundle.take(true)?.revocations).toEqual([]);
  expect(bundle.take(false)).toEqual({ jobs: [], revocations: [revocationOf(large)] });
  expect(bundle.take(false)).toMatchObject({ inputAhead: { jobId: "next" } });
  bundle.add({ revocations: [revocationOf(large)] });
  expect(bundle.take(true)?.revocations).toEqual([revocationOf(large)]);
});

it("a job that was revoked while waiting is sent before its revocation; other revocations overtake jobs", () => {
  const bundle = new OrderBundle();
  const other = job("other", 1);
  bundle.add({ jobs: [large, small] });
  bundle.add({ revocations: [revocationOf(small)] });
  expect(bundle.take(false)?.jobs).toEqual([]);
  expect(bundle.take(false)).toEqual({ jobs: [large] });
  bundle.add({ revocations: [revocationOf(large), revocationOf(other)] });
  expect(bundle.take(true)).toEqual({ jobs: [], revocations: [revocationOf(other)] });
  expect(bundle.take(true)).toBeUndefined();
  const last = bundle.take(false);
  expect(last?.jobs).toEqual([small]);
  expect(last?.revocations?.map(({ jobId }) => jobId)).toEqual(["small", "large"]);
  expect(bundle.isEmpty).toBe(true);
});
