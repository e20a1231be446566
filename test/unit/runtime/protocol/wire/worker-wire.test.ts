/** The wire form of a worker's session loses nothing, and a missing required field is refused by name. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FAILURE_TYPES } from "../../../../../runtime/protocol/failure.ts";
import {
  decodeOrders,
  decodeReport,
  encodeOrders,
  encodeReport,
  WireError,
  readServiceMessage,
  readWorkerMessage,
  writeServiceMessage,
  writeWorkerMessage,
} from "../../../../../runtime/protocol/wire/worker-wire.ts";

const text = fc.string({ minLength: 1, unit: "grapheme" });
const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 });
const u32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const count = fc.integer({ min: 1, max: 2 ** 32 - 1 });
const lease = { jobId: text, leaseToken: text };

/** Absent and empty lists are equal on the wire, so only filled lists are generated. */
function some<T>(of: fc.Arbitrary<T>): fc.Arbitrary<T[]> {
  return fc.array(of, { minLength: 1, maxLength: 4 });
}

const failure = fc.record(
  {
    type: fc.constantFrom(...FAILURE_TYPES),
    message: text,
    stack: fc.string(),
    exitCode: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    signal: fc.string(),
    outOfMemory: fc.boolean(),
    lastLogLines: some(fc.string()),
  },
  { requiredKeys: ["type", "message"] },
);

const outcome = fc.oneof(
  fc.record(
    { kind: fc.constant("completed" as const), output: fc.uint8Array() },
    { requiredKeys: ["kind"] },
  ),
  fc.record(
    { kind: fc.constant("failed" as const), failure, output: fc.uint8Array() },
    { requiredKeys: ["kind", "failure"] },
  ),
  fc.record({ kind: fc.constantFrom("timed-out" as const, "lost" as const), failure }),
  fc.record({ kind: fc.constantFrom("handed-back" as const, "stopped" as const) }),
);

const report = fc.record(
  {
    hello: fc.record({
      protocolVersion: count,
      runtimeVersion: text,
      held: fc.array(fc.record(lease)),
    }),
    ready: fc.record({ concurrency: count }),
    initFailure: failure,
    renewals: some(fc.record(lease)),
    chunks: some(fc.record({ ...lease, firstIndex: u32, count, lines: bytes })),
    progress: some(fc.record({ ...lease, value: bytes })),
    outcomes: some(fc.record({ ...lease, outcome })),
    draining: fc.constant(true),
    credit: count,
    pauses: some(fc.record({ ...lease, isPaused: fc.boolean(), pausedMs: u32 })),
  },
  { requiredKeys: [] },
);

const orders = fc.record(
  {
    welcome: fc.record({ workerId: text, endpointId: text, leaseMs: count, leaseRenewalMs: count }),
    jobs: some(
      fc
        .record(
          {
            ...lease,
            attempt: count,
            input: bytes,
            executionTimeoutMs: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
            s3Config: bytes,
            traceparent: text,
            inputIsAhead: fc.constant(true),
          },
          { requiredKeys: ["jobId", "leaseToken", "attempt", "input", "executionTimeoutMs"] },
        )
        .map((job) => (job.inputIsAhead ? { ...job, input: new Uint8Array() } : job)),
    ),
    revocations: some(
      fc.record({
        ...lease,
        reason: fc.constantFrom("cancelled", "timed-out", "expired", "lease-lost"),
      }),
    ),
    outcomeReceipts: some(fc.record({ ...lease, accepted: fc.boolean() })),
    chunkReceipts: some(fc.record({ ...lease, nextIndex: u32 })),
    drain: fc.constant(true),
    inputAhead: fc.record({ jobId: text, input: bytes }),
  },
  { requiredKeys: [] },
);

/** Buffers and plain byte arrays of the same content count as equal. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: [...value] };
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, plain(held)]));
}

describe("the wire form", () => {
  test("returns a worker's report unchanged", () => {
    fc.assert(
      fc.property(report, (sent) => {
        const received = decodeReport(
          readWorkerMessage(Buffer.concat(writeWorkerMessage(encodeReport(sent)))),
        );
        expect(plain(received)).toEqual(plain(sent));
      }),
    );
  });

  test("returns the service's orders unchanged", () => {
    fc.assert(
      fc.property(orders, (sent) => {
        const received = decodeOrders(readServiceMessage(writeServiceMessage(encodeOrders(sent))));
        expect(plain(received)).toEqual(plain(sent));
      }),
    );
  });

  test("returns large inputs, and the small ones between them, in order", () => {
    const sizes = [3, 100_000, 65_536, 1, 300_000];
    const jobs = sizes.map((size, number) => ({
      jobId: `job-${number}`,
      leaseToken: "t",
      attempt: 1,
      input: Buffer.alloc(size, String(number)),
      executionTimeoutMs: 1,
      traceparent: "parent",
    }));
    const sent = { jobs, drain: true };
    const received = decodeOrders(readServiceMessage(writeServiceMessage(encodeOrders(sent))));
    expect(plain(received)).toEqual(plain(sent));
  });

  test("of a report shares the memory of large chunks, and joins all that lies between them", () => {
    const sizes = [3, 100_000, 1, 5, 65_536, 7];
    const chunks = sizes.map((size, number) => ({
      ...{ jobId: `job-${number}`, leaseToken: "t", firstIndex: number, count: 1 },
      lines: Buffer.alloc(size, String(number)),
    }));
    const parts = writeWorkerMessage(encodeReport({ chunks, credit: 2 }));
    expect(parts.map(({ byteLength }) => byteLength > 65_000)).toEqual([
      false,
      true,
      false,
      true,
      false,
    ]);
    expect([parts[1]?.buffer, parts[3]?.buffer]).toEqual([
      chunks[1]?.lines.buffer,
      chunks[4]?.lines.buffer,
    ]);
    const received = decodeReport(readWorkerMessage(Buffer.concat(parts)));
    expect(plain(received)).toEqual(plain({ chunks, credit: 2 }));
  });

  test("accepts zeros that another implementation omits", () => {
    const chunk = { jobId: "j", leaseToken: "t", count: 1, lines: Buffer.from("{}\n") };
    const message = { ...encodeReport({}), chunks: [chunk] };
    expect(decodeReport(message).chunks).toMatchObject([{ firstIndex: 0 }]);
    const receipts = { ...encodeOrders({}), outcomeReceipts: [{ jobId: "j", leaseToken: "t" }] };
    expect(decodeOrders(receipts).outcomeReceipts).toMatchObject([{ accepted: false }]);
  });
});

describe("an invalid message is refused with the name of the field", () => {
  const id = { jobId: "j", leaseToken: "t" };
  const reports = encodeReport({});
  const broken = { type: "handler_error", message: "m", lastLogLines: [] };

  test.each([
    ["Outcome.job_id", { outcomes: [{ leaseToken: "t", kind: 1 as const }] }],
    ["Outcome.lease_token", { outcomes: [{ jobId: "j", leaseToken: "", kind: 1 as const }] }],
    ["Outcome.kind", { outcomes: [id] }],
    ["Outcome.failure", { outcomes: [{ ...id, kind: 2 as const }] }],
    ["Failure.type", { initFailure: { failure: { ...broken, type: "bad_mood" } } }],
    ["Failure.message", { initFailure: { failure: { ...broken, message: "" } } }],
    ["InitFailure.failure", { initFailure: { failure: undefined } }],
    ["Ready.concurrency", { ready: {} }],
    ["Chunks.count", { chunks: [{ ...id, lines: Buffer.from("{}\n") }] }],
    ["Chunks.lines", { chunks: [{ ...id, count: 1 }] }],
    ["Progress.value", { progress: [{ ...id, value: Buffer.alloc(0) }] }],
    ["Hello.protocol_version", { hello: { held: [] } }],
  ])("a report without a valid %s", (field, part) => {
    expect(() => decodeReport({ ...reports, ...part })).toThrow(WireError);
    expect(() => decodeReport({ ...reports, ...part })).toThrow(field);
  });

  test.each([
    ["Welcome.worker_id", { welcome: { endpointId: "e", leaseMs: 1, leaseRenewalMs: 1 } }],
    ["Job.input", { jobs: [{ ...id, attempt: 1, executionTimeoutMs: 1 }] }],
    ["Job.attempt", { jobs: [{ ...id, input: Buffer.from("{}"), executionTimeoutMs: 1 }] }],
    ["Job.execution_timeout_ms", { jobs: [{ ...id, attempt: 1, input: Buffer.from("{}") }] }],
    ["Revocation.reason", { revocations: [{ ...id, reason: "spite" }] }],
  ])("orders without a valid %s", (field, part) => {
    expect(() => decodeOrders({ ...encodeOrders({}), ...part })).toThrow(WireError);
    expect(() => decodeOrders({ ...encodeOrders({}), ...part })).toThrow(field);
  });
});

test("payload bytes are not copied when a report is encoded", () => {
  const value = new Uint8Array([123, 125]);
  const message = encodeReport({ progress: [{ jobId: "j", leaseToken: "t", value }] });
  expect(message.progress[0]?.value?.buffer).toBe(value.buffer);
});

test("a field of a later version is ignored, on either side", () => {
  // Field 99, a varint of 1.
  const unknown = Buffer.from([0x98, 0x06, 0x01]);
  const said = Buffer.concat([...writeWorkerMessage(encodeReport({ credit: 3 })), unknown]);
  expect(decodeReport(readWorkerMessage(said))).toEqual({ credit: 3 });
  const ordered = Buffer.concat([writeServiceMessage(encodeOrders({ drain: true })), unknown]);
  expect(decodeOrders(readServiceMessage(ordered))).toEqual({ drain: true });
});
