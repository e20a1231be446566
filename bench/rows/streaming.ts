/** Row: time until a stream begins, and throughput of chunks, beside the same bytes over bare HTTP and another checkout. */
import { type Bench, interleave, newFolder, OTHER_CHECKOUT } from "../bench.ts";
import { type EmulatorPlace, type EmulatorProcess, startEmulatorFor } from "../emulator-process.ts";
import { startBareServer } from "../floors/http.ts";
import { atLeast, atMost, type Line, lineOf, type Unit } from "../line.ts";
import { type Followed, STREAM_TYPE } from "../load/follow.ts";
import type { Subject } from "../load/load-client.ts";
import { median } from "../statistics.ts";
import type { Row } from "./row.ts";

const LARGE_BYTES = 1_000_000;
const SMALL_BYTES = 200;
const FIRST_CHUNK_LIMIT = 5;

type Target = NonNullable<Parameters<typeof lineOf>[0]["target"]>;

/** Streams of these servers are followed by the same requests. */
interface Rivals {
  readonly ours: EmulatorProcess;
  readonly bare: string;
  readonly before: EmulatorProcess | undefined;
}

async function emulatorOf(bench: Bench, place: EmulatorPlace = {}): Promise<EmulatorProcess> {
  const served = { chunks: { handler: "chunks", workers: 1 } } as const;
  return startEmulatorFor(newFolder(bench, "streaming"), served, place);
}

async function measure(bench: Bench): Promise<readonly Line[]> {
  await using parts = new AsyncDisposableStack();
  const { against } = bench;
  const rivals: Rivals = {
    ours: parts.use(await emulatorOf(bench)),
    bare: parts.use(await startBareServer()).origin,
    before:
      against === undefined ? undefined : parts.use(await emulatorOf(bench, { checkout: against })),
  };
  return [
    ...(await firstChunk(bench, rivals)),
    ...(await rate(bench, rivals, {
      what: "200 B chunks to an NDJSON reader",
      unit: "chunks/s",
      bytes: SMALL_BYTES,
      count: bench.quick ? 5_000 : 20_000,
      least: 0.45,
      of: ({ chunks, totalMs }) => chunks / (totalMs / 1000),
    })),
    ...(await rate(bench, rivals, {
      what: "1 MB chunks to an NDJSON reader",
      unit: "MB/s",
      bytes: LARGE_BYTES,
      count: bench.quick ? 30 : 100,
      least: 0.35,
      of: ({ bytes, totalMs }) => bytes / 1_000_000 / (totalMs / 1000),
    })),
  ];
}

/** The measurement of each rival. */
function each<T>(
  { ours, bare, before }: Rivals,
  body: string,
  figure: (subject: Subject) => Promise<T>,
): Record<string, () => Promise<T>> {
  const subject = ours.submission("chunks", "run", body);
  const other = before?.submission("chunks", "run", body);
  return {
    ours: () => figure(subject),
    bare: () => figure({ ...subject, origin: bare }),
    ...(other && { before: () => figure(other) }),
  };
}

/** A line beside bare HTTP, and one beside the other checkout. */
function linesOf(
  { before }: Rivals,
  measured: Readonly<Record<string, readonly number[]>>,
  pair: Pick<Parameters<typeof lineOf>[0], "what" | "unit" | "ours" | "target">,
): readonly Line[] {
  const { target, ...figures } = pair;
  const beside = { beside: "the same in two requests, bare HTTP", others: measured["bare"] };
  const other = { beside: OTHER_CHECKOUT, others: measured["before"] };
  return [
    lineOf({ ...figures, ...beside, ...(target && { target }) }),
    ...(before ? [lineOf({ ...figures, ...other })] : []),
  ];
}

async function firstChunk(bench: Bench, rivals: Rivals): Promise<readonly Line[]> {
  const body = JSON.stringify({ input: { count: 3, bytes: SMALL_BYTES } });
  const times = bench.quick ? 100 : 300;
  const p50 = async (subject: Subject): Promise<number> =>
    median((await bench.client.follow(subject, times)).map(({ firstMs }) => firstMs));
  const { origin, request } = rivals.ours.submission("chunks", "run", body);
  const own = { ...request, headers: { ...request.headers, accept: STREAM_TYPE } };
  const measured = await interleave<string, number>(bench, bench.rounds, {
    ...each(rivals, body, p50),
    own: () => p50({ origin, request: own }),
  });
  const pair = { what: "/run to first chunk, p50", unit: "ms" } as const;
  const target: Target = (ratio) => atMost(FIRST_CHUNK_LIMIT, ratio);
  const what = "/run that answers with its stream, to first chunk, p50";
  return [
    ...linesOf(rivals, measured, { ...pair, ours: measured["ours"] ?? [], target }),
    ...linesOf(rivals, measured, { ...pair, what, ours: measured["own"] ?? [] }),
  ];
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

async function rate(bench: Bench, rivals: Rivals, plan: Rate): Promise<readonly Line[]> {
  const { what, unit, bytes, count, least, of } = plan;
  const body = JSON.stringify({ input: { count, bytes } });
  const follow = async (subject: Subject): Promise<number> => {
    const [followed] = await bench.client.follow(subject, 1);
    if (followed?.chunks !== count)
      throw new Error(`${followed?.chunks} chunks came, not ${count}.`);
    return of(followed);
  };
  const measured = await interleave(bench, bench.rounds, each(rivals, body, follow));
  const target: Target = (times) => atLeast(least, times);
  return linesOf(rivals, measured, { what, unit, ours: measured["ours"] ?? [], target });
}

export const streaming: Row = {
  id: "streaming",
  title: "Streams: chunks as their readers get them",
  measure,
};
