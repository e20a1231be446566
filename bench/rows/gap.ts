/** Row: how long a worker with concurrency 1 has nothing to do between two jobs while others wait, beside BullMQ's worker. */
import { z } from "zod";
import { type Bench, interleave, newFolder, OTHER_CHECKOUT } from "../bench.ts";
import { type EmulatorPlace, startEmulatorFor } from "../emulator-process.ts";
import { atMost, type Line, lineOf } from "../line.ts";
import { bodyOf, LARGE_BYTES, submissionBody } from "../payload.ts";
import { findBullMq } from "../peers/bullmq.ts";
import type { Row } from "./row.ts";

const LIMIT = 1.5;
const LARGE_LIMIT = 0.5;
const WAITING = 50;
const WAITING_LARGE = 3;
/** While a handler works, the next large input may be on its way. */
const WORK_MS = 500;

const answerShape = z.object({ output: z.object({ gapMs: z.number() }) });

type Measure = () => Promise<number>;

/** Measures with small inputs, with large ones, and with large ones while the handler works. */
interface Subject {
  readonly small: Measure;
  readonly large: Measure;
  readonly working: Measure;
}

async function ofEmulator(
  bench: Bench,
  parts: AsyncDisposableStack,
  place: EmulatorPlace = {},
): Promise<Subject> {
  const folder = newFolder(bench, "gap");
  const served = { gap: { handler: "tells-gaps", workers: 1 } } as const;
  const emulator = parts.use(await startEmulatorFor(folder, served, place));
  const asks = emulator.submission("gap", "runsync", JSON.stringify({ input: { asks: true } }));
  const gapMs = async (body: string, inFlight: number, durationMs: number): Promise<number> => {
    const job = emulator.submission("gap", "runsync", body);
    await bench.client.load(job, { inFlight, durationMs }, '"COMPLETED"');
    const answer = await fetch(`${asks.origin}${asks.request.path}`, asks.request);
    return answerShape.parse(await answer.json()).output.gapMs;
  };
  const durationMs = bench.quick ? 1_000 : 3_000;
  return {
    small: () => gapMs(submissionBody, WAITING + 1, durationMs),
    large: () => gapMs(bodyOf(LARGE_BYTES), WAITING_LARGE + 1, durationMs),
    working: () => gapMs(bodyOf(LARGE_BYTES, { workMs: WORK_MS }), WAITING_LARGE + 1, 10 * WORK_MS),
  };
}

async function measure(bench: Bench): Promise<readonly Line[]> {
  await using parts = new AsyncDisposableStack();
  const ours = await ofEmulator(bench, parts);
  const { against } = bench;
  const before =
    against === undefined ? undefined : await ofEmulator(bench, parts, { checkout: against });
  const found = await findBullMq(newFolder(bench, "bullmq"), {
    ...{ appendfsync: "always", concurrency: 1 },
  });
  const bullMq = typeof found === "string" ? undefined : parts.use(found);
  const load = { inFlight: WAITING + 1, durationMs: bench.quick ? 1_000 : 3_000 };
  const small = await interleave<string, number>(bench, bench.rounds, {
    ours: ours.small,
    ...(bullMq && {
      bullMq: async () => {
        await bullMq.load(load);
        return bullMq.gapMs();
      },
    }),
    ...(before && { before: before.small }),
  });
  const large = await interleave<string, number>(bench, bench.rounds, {
    ours: ours.large,
    ...(before && { before: before.large }),
  });
  const working = await interleave<string, number>(bench, bench.rounds, {
    ours: ours.working,
    ...(before && { before: before.working }),
  });
  const notes = typeof found === "string" ? [`BullMQ: not measured: ${found}`] : [];
  const pair = { unit: "ms", ours: small["ours"] ?? [] } as const;
  const what = `end of one job to start of the next, p50, ${WAITING} queued`;
  const whatLarge = `the same with inputs of 20 MB, ${WAITING_LARGE} queued`;
  const largePair = { ...pair, what: whatLarge, ours: large["ours"] ?? [] };
  const whatWorking = `${whatLarge}, and a handler that works for ${WORK_MS} ms`;
  const workingPair = { ...pair, what: whatWorking, ours: working["ours"] ?? [] };
  const target = (limit: number) => (times: Parameters<typeof atMost>[1]) => atMost(limit, times);
  const beside = { beside: OTHER_CHECKOUT, target: target(LARGE_LIMIT) };
  return [
    lineOf({
      ...{ ...pair, what, beside: "BullMQ's worker, AOF always", others: small["bullMq"] },
      ...{ target: target(LIMIT), notes },
    }),
    ...(before ? [lineOf({ ...pair, what, beside: OTHER_CHECKOUT, others: small["before"] })] : []),
    lineOf({ ...largePair, ...beside, others: large["before"] }),
    lineOf({ ...workingPair, ...beside, others: working["before"] }),
  ];
}

export const gap: Row = {
  id: "gap",
  title: "Gap: what a handler with concurrency 1 waits between two jobs",
  measure,
};
