/**
 * Workers on slow connections with high latency: while bytes flow no worker counts as silent, and large payloads
 * arrive at the first try.
 */
import { describe, expect, it } from "vitest";
import { sized } from "../../setup/size.ts";
import { startTcpProxy } from "../../setup/tcp-proxy.ts";
import { ENDPOINT, FarScene } from "./far-scene.ts";

const MB = 1_000_000;

/** In `npm test` all is smaller and faster, but a transfer still takes longer than a lease. */
const LEASE_MS = sized(3_000, 15_000);
const INPUT_BYTES = sized(1_900_000, 19_900_000);
const OUTPUT_BYTES = sized(1_900_000, 19 * MB);
const LINES = sized(
  [{ bytesPerSecond: 350_000, latencyMs: 200 }],
  [
    { bytesPerSecond: 100_000, latencyMs: 0 },
    { bytesPerSecond: MB, latencyMs: 0 },
    { bytesPerSecond: MB, latencyMs: 2_000 },
  ],
);

const MAX_MS = sized(60_000, 900_000);
/** The shortest timeout that a client can set: shorter than a transfer over a slow connection. */
const EXECUTION_TIMEOUT_MS = 5_000;

interface Submitted {
  readonly id: string;
}

describe.concurrent.each(LINES)(
  "over a line of $bytesPerSecond bytes/s and $latencyMs ms",
  (terms) => {
    it(
      "a large input and a large output arrive at the first try, and small ones beside them",
      { timeout: MAX_MS },
      async () => {
        await using scene = await FarScene.start({ leaseMs: LEASE_MS });
        await using proxy = await startTcpProxy(Number(scene.address.split(":").at(-1)));
        proxy.slowDown(terms);
        const worker = scene.worker((await scene.token()).key, `tls://${proxy.address}`, 2);
        const text = "x".repeat(INPUT_BYTES - 100);
        const policy = { executionTimeout: EXECUTION_TIMEOUT_MS };
        const submit = (input: object, more: object = {}) =>
          scene.call<Submitted>("POST", `/v2/${ENDPOINT}/runsync?wait=1000`, { input, ...more });
        const { id: small } = await submit({ small: true });
        const first = await worker.job();
        const { id: large } = await submit({ text }, { policy });
        const second = await worker.job();
        expect([first.jobId, second.jobId, second.input.length]).toEqual([
          small,
          large,
          INPUT_BYTES - 100 + '{"text":""}'.length,
        ]);
        const receipts = await Promise.all([
          worker.finish(second, "y".repeat(OUTPUT_BYTES - 2)),
          worker.finish(first, "small"),
        ]);
        expect(receipts).toEqual([{ accepted: true }, { accepted: true }]);
        for (const job of [first, second]) {
          const { status } = await scene.status(job.jobId);
          expect({ status, attempt: job.attempt }).toEqual({ status: "COMPLETED", attempt: 1 });
        }
        expect(worker.revoked).toEqual([]);
        expect(scene.said.filter((line) => /silent|said nothing|lost/u.test(line))).toEqual([]);
      },
    );
  },
);

const WORKERS = sized(6, 60);

it(
  `the large outputs of ${WORKERS} workers at once all arrive at the first try`,
  { timeout: MAX_MS },
  async () => {
    await using scene = await FarScene.start({ leaseMs: LEASE_MS });
    const { key } = await scene.token();
    const workers = Array.from({ length: WORKERS }, () => scene.worker(key));
    const ids = await Promise.all(workers.map(() => scene.submit()));
    const output = "y".repeat(OUTPUT_BYTES - 2);
    const ended = workers.map(async (worker) => {
      const job = await worker.job();
      return { ...(await worker.finish(job, output)), attempt: job.attempt };
    });
    expect(await Promise.all(ended)).toEqual(ids.map(() => ({ accepted: true, attempt: 1 })));
  },
);
