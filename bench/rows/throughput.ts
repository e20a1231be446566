/** Row: jobs per second at 50 and 500 in flight, beside BullMQ and a bare HTTP server. */
import { type Bench, interleave, newFolder } from "../bench.ts";
import { CpuMeter } from "../cpu-meter.ts";
import { type EmulatorProcess, startEmulatorFor } from "../emulator-process.ts";
import { type BareServer, startBareServer } from "../floors/http.ts";
import { atLeast, type Line } from "../line.ts";
import type { LoadResult } from "../load/closed-loop.ts";
import { submissionBody } from "../payload.ts";
import { type BullMq, startBullMq } from "../peers/bullmq.ts";
import { median, ratio, summarize } from "../statistics.ts";
import { number } from "../table.ts";
import type { Row } from "./row.ts";

const LIMIT_AT_50 = 2;
const PEER = "BullMQ, Redis with AOF always";
const FLOOR = "bare node:http echo";

/** All that takes part; BullMQ only where there is a Redis. */
interface Contest {
  readonly emulator: EmulatorProcess;
  readonly server: BareServer;
  readonly peer: BullMq | undefined;
}

async function measure(bench: Bench): Promise<readonly Line[]> {
  const folder = newFolder(bench, "throughput");
  await using parts = new AsyncDisposableStack();
  const emulator = parts.use(
    await startEmulatorFor(folder, { echo: { handler: "echo", workers: 1 } }),
  );
  const server = parts.use(await startBareServer());
  const { peer, missing } = await peerOrReason(folder);
  if (peer !== undefined) parts.use(peer);
  const at50 = await linesAt(50, bench, { emulator, server, peer });
  const at500 = await linesAt(500, bench, { emulator, server, peer });
  const notes = missing === undefined ? [] : [`BullMQ was not measured: ${missing}`];
  return [...at50, ...at500].map((line, index) => (index === 0 ? withNotes(line, notes) : line));
}

async function peerOrReason(
  folder: string,
): Promise<{ readonly peer?: BullMq; readonly missing?: string }> {
  try {
    return { peer: await startBullMq(folder) };
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
}

async function linesAt(
  inFlight: number,
  bench: Bench,
  { emulator, server, peer }: Contest,
): Promise<readonly Line[]> {
  const load = { inFlight, durationMs: bench.quick ? 1000 : 3000 };
  const job = emulator.submission("echo", "runsync", submissionBody);
  // The worker's processes are all there once a job is done.
  await bench.client.load(job, { inFlight: 1, durationMs: 1 }, '"COMPLETED"');
  const ourCpu = new CpuMeter({ ...emulator.pids(), client: bench.client.pid });
  const peerCpu = new CpuMeter(peer?.pids ?? {});
  const bareCpu = new CpuMeter({ server: server.pid, client: bench.client.pid });
  const bare = { ...job, origin: server.origin };
  const subjects: Record<string, () => Promise<LoadResult>> = {
    ours: () => ourCpu.during(() => bench.client.load(job, load, '"COMPLETED"')),
    bare: () => bareCpu.during(() => bench.client.load(bare, load, "input")),
  };
  if (peer !== undefined) subjects["peer"] = () => peerCpu.during(() => peer.load(load));
  const results = await interleave(bench, bench.quick ? 3 : 7, subjects);
  const { ours = [], bare: floor = [], peer: theirs } = results;
  const what = `/runsync, ${inFlight} in flight`;
  const notes = [
    `${inFlight} in flight, p50 / p99: ours ${latency(ours)}${theirs ? `, BullMQ ${latency(theirs)}` : ""}`,
    `${inFlight} in flight, processor time per job: ${ourCpu.perJob()}`,
    ...(theirs ? [`the same of BullMQ: ${peerCpu.perJob()}`] : []),
    `the same of the bare server: ${bareCpu.perJob()}`,
  ];
  return [besidePeer(what, inFlight, ours, theirs), besideFloor(what, ours, floor, notes)];
}

function besidePeer(
  what: string,
  inFlight: number,
  ours: readonly LoadResult[],
  theirs: readonly LoadResult[] | undefined,
): Line {
  const times = theirs && ratio(rates(ours), rates(theirs));
  return {
    what,
    unit: "jobs/s",
    ours: summarize(rates(ours)),
    beside: { what: PEER, value: theirs && summarize(rates(theirs)) },
    ...(times === undefined ? {} : { ratio: times }),
    ...(inFlight === 50 ? { target: atLeast(LIMIT_AT_50, times) } : {}),
  };
}

function besideFloor(
  what: string,
  ours: readonly LoadResult[],
  floor: readonly LoadResult[],
  notes: readonly string[],
): Line {
  return {
    what,
    unit: "jobs/s",
    ours: summarize(rates(ours)),
    beside: { what: FLOOR, value: summarize(rates(floor)) },
    ratio: ratio(rates(ours), rates(floor)),
    notes,
  };
}

function rates(results: readonly LoadResult[]): number[] {
  return results.map(({ perSecond }) => perSecond);
}

function latency(results: readonly LoadResult[]): string {
  const p50 = median(results.map(({ p50Ms }) => p50Ms));
  const p99 = median(results.map(({ p99Ms }) => p99Ms));
  return `${number(p50)} / ${number(p99)} ms`;
}

function withNotes(line: Line, notes: readonly string[]): Line {
  return { ...line, notes: [...(line.notes ?? []), ...notes] };
}

export const throughput: Row = {
  id: "throughput",
  title: "Jobs per second: 200 B, durable, one worker with concurrency 50",
  measure,
};
