/** Row: time until a stream begins, and throughput of chunks, beside the same bytes over bare HTTP. */
import { type Bench, interleave, newFolder } from "../bench.ts";
import { startEmulatorFor } from "../emulator-process.ts";
import { startBareServer } from "../floors/http.ts";
import { atLeast, atMost, type Line, lineOf, type Unit } from "../line.ts";
import type { Followed } from "../load/follow.ts";
import type { Subject } from "../load/load-client.ts";
import { median } from "../statistics.ts";
import type { Row } from "./row.ts";

const LARGE_BYTES = 1_000_000;
const SMALL_BYTES = 200;
const FIRST_CHUNK_LIMIT = 5;

/** Follows streams of both servers by the same requests. */
interface Rivals {
  readonly ours: (body: string) => Subject;
  readonly bare: (body: string) => Subject;
}

async function measure(bench: Bench): Promise<readonly Line[]> {
  const folder = newFolder(bench, "streaming");
  await using emulator = await startEmulatorFor(folder, {
    chunks: { handler: "chunks", workers: 1 },
  });
  await using server = await startBareServer();
  const ours = (body: string): Subject => emulator.submission("chunks", "run", body);
  const rivals: Rivals = { ours, bare: (body) => ({ ...ours(body), origin: server.origin }) };
  return [
    await firstChunk(bench, rivals),
    await rate(bench, rivals, {
      what: "200 B chunks to an NDJSON reader",
      unit: "chunks/s",
      bytes: SMALL_BYTES,
      count: bench.quick ? 5_000 : 20_000,
      least: 0.45,
      of: ({ chunks, totalMs }) => chunks / (totalMs / 1000),
    }),
    await rate(bench, rivals, {
      what: "1 MB chunks to an NDJSON reader",
      unit: "MB/s",
      bytes: LARGE_BYTES,
      count: bench.quick ? 30 : 100,
      least: 0.35,
      of: ({ bytes, totalMs }) => bytes / 1_000_000 / (totalMs / 1000),
    }),
  ];
}

async function firstChunk(bench: Bench, rivals: Rivals): Promise<Line> {
  const body = JSON.stringify({ input: { count: 3, bytes: SMALL_BYTES } });
  const times = bench.quick ? 100 : 300;
  const p50 = async (subject: Subject): Promise<number> =>
    median((await bench.client.follow(subject, times)).map(({ firstMs }) => firstMs));
  const { ours, bare } = await interleave(bench, bench.rounds, {
    ours: () => p50(rivals.ours(body)),
    bare: () => p50(rivals.bare(body)),
  });
  return lineOf({
    what: "/run to first chunk, p50",
    unit: "ms",
    ours,
    beside: "the same two requests, bare HTTP",
    others: bare,
    target: (ratio) => atMost(FIRST_CHUNK_LIMIT, ratio),
  });
}

interface Rate {
  readonly what: string;
  readonly unit: Unit;
  /** Size of a chunk, and number of chunks of a stream. */
  readonly bytes: number;
  readonly count: number;
  /** Wanted ratio to the bare server. */
  readonly least: number;
  readonly of: (followed: Followed) => number;
}

async function rate(bench: Bench, rivals: Rivals, plan: Rate): Promise<Line> {
  const body = JSON.stringify({ input: { count: plan.count, bytes: plan.bytes } });
  const follow = async (subject: Subject): Promise<number> => {
    const [followed] = await bench.client.follow(subject, 1);
    if (followed?.chunks !== plan.count) {
      throw new Error(`${followed?.chunks} chunks came, not ${plan.count}.`);
    }
    return plan.of(followed);
  };
  const { ours, bare } = await interleave(bench, bench.rounds, {
    ours: () => follow(rivals.ours(body)),
    bare: () => follow(rivals.bare(body)),
  });
  return lineOf({
    what: plan.what,
    unit: plan.unit,
    ours,
    beside: "the same lines, bare HTTP",
    others: bare,
    target: (times) => atLeast(plan.least, times),
  });
}

export const streaming: Row = {
  id: "streaming",
  title: "Streams: every chunk durable before it is read",
  measure,
};
