/**
 * Random lives of a service, each ended by a crash between any order and its commit. Whatever anybody was told in a life (answers,
 * events, chunks, receipts) is true in the next one. Handlers may have begun jobs of which nothing is left.
 */
import { expect, it } from "vitest";
import { createMemoryStore } from "../../emulator/store/memory/memory-store.ts";
import type { Store } from "../../emulator/store/store.ts";
import { isTerminal } from "../../runtime/protocol/job-status.ts";
import { FakeClock } from "../fake-clock.ts";
import { TEST_MS } from "../setup/patience.ts";
import { sized } from "../setup/size.ts";
import { Life } from "./crash/life.ts";
import { type StoredJob, Told, undone } from "./crash/told.ts";
import { seededNumbers } from "./random-source.ts";

/** `MODEL_SEEDS` plays more of them, and `MODEL_SEED` begins elsewhere. */
const SEEDS = Number(process.env["MODEL_SEEDS"] ?? sized(300, 20_000));
const FIRST_SEED = Number(process.env["MODEL_SEED"] ?? 1);
/** The last one comes to its end. */
const LIVES = 4;
const COMMANDS_A_LIFE = 25;

/** Timeout of one history, ms, of which a quiet machine needs 17. */
const SEED_MS = 100;

/** Draws a number from 0 to below `below`. */
type Draw = (below: number) => number;

/** Each acts on a life; one with nothing to act on does nothing. */
const COMMANDS: readonly ((life: Life, told: Told, draw: Draw) => unknown)[] = [
  (life) => life.run(),
  (life) => life.run(),
  (life) => life.runSync(),
  (life, _, draw) => draw(4) === 0 && life.grant(draw(2)),
  (life, _, draw) => onHeld(life.running, draw, (held) => life.chunk(held)),
  (life, _, draw) => onHeld(life.running, draw, (held) => life.chunk(held)),
  (life, _, draw) => onHeld(life.running, draw, (held) => life.end(held, "completed")),
  (life, _, draw) => onHeld(life.running, draw, (held) => life.end(held, "completed")),
  (life, _, draw) => onHeld(life.running, draw, (held) => life.end(held, "failed")),
  (life, _, draw) => onHeld(life.running, draw, (held) => life.end(held, "handed-back")),
  (life, _, draw) => onHeld(life.stopping, draw, (held) => life.end(held, "stopped")),
  (life, told, draw) => onJob(told.jobIds, draw, (jobId) => life.look(jobId)),
  (life, told, draw) => onJob(told.openIds, draw, (jobId) => life.follow(jobId)),
  (life, told, draw) => onJob(told.openIds, draw, (jobId) => life.follow(jobId)),
  (life, told, draw) => onJob(told.jobIds, draw, (jobId) => life.cancel(jobId)),
  (life, told, draw) => draw(3) === 0 && onJob(told.jobIds, draw, (jobId) => life.retry(jobId)),
  (life, _, draw) => draw(10) === 0 && life.purge(),
  (life) => life.store(),
  (life) => life.store(),
  (life) => life.store(),
  (life, _, draw) => draw(8) === 0 && life.refuse(),
  (life) => life.clock.advance(2),
  (life, _, draw) => draw(5) === 0 && life.clock.advance(16_000),
];

type Held = Life["running"][number];

function onHeld(held: readonly Held[], draw: Draw, act: (held: Held) => void): void {
  const one = held[draw(held.length)];
  if (one) act(one);
}

function onJob(jobIds: readonly string[], draw: Draw, act: (jobId: string) => void): void {
  const one = jobIds[draw(jobIds.length)];
  if (one !== undefined) act(one);
}

async function storedJobs(disk: Store, told: Told): Promise<ReadonlyMap<string, StoredJob>> {
  const found = new Map<string, StoredJob>();
  for (const jobId of told.jobIds) {
    const job = await disk.job(jobId);
    if (job === undefined) continue;
    const bytes = await (await disk.payload(job.seq, "output"))?.bytes();
    const output = bytes && Buffer.from(bytes).toString();
    found.set(jobId, { status: job.status, attempt: job.attempt, output });
  }
  return found;
}

/** The last life: every job that waits or runs comes to its end. */
async function finish(life: Life): Promise<void> {
  life.storeAll();
  for (let round = 0; round < 100; round += 1) {
    await life.turns(5);
    if (life.running.length + life.stopping.length === 0) return;
    for (const held of life.running) life.end(held, "completed");
    for (const held of life.stopping) life.end(held, "stopped");
  }
}

/** Commands of a life that ends by a crash. */
async function live(life: Life, told: Told, draw: Draw): Promise<void> {
  for (let done = 0; done < COMMANDS_A_LIFE; done += 1) {
    await COMMANDS[draw(COMMANDS.length)]?.(life, told, draw);
    await life.turns(draw(4));
  }
}

/** Plays one history. Returns the promises that a crash undid, and the jobs without an end. */
async function play(seed: number): Promise<readonly string[]> {
  const numbers = seededNumbers(seed);
  const draw: Draw = (below) => Math.floor(numbers() * below);
  const [disk, told] = [createMemoryStore(), new Told()];
  let now: number | undefined;
  for (let number = 0; number < LIVES; number += 1) {
    const life = await Life.begin(disk, told, number, new FakeClock(now));
    await (number < LIVES - 1 ? live(life, told, draw) : finish(life));
    await life.crash(draw(2) === 0);
    now = life.clock.now();
    const wrong = undone(told, await storedJobs(disk, told));
    if (wrong.length > 0) return wrong.map((what) => `life ${number}: ${what}`);
  }
  const left = [...(await storedJobs(disk, told))].filter(([, job]) => !isTerminal(job.status));
  return left.map(([jobId]) => `${jobId} never ends`);
}

it(
  `in ${SEEDS} random histories a crash undoes nothing that anybody was told`,
  async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed += 1)
      expect({ seed, wrong: await play(seed) }).toEqual({ seed, wrong: [] });
  },
  Math.max(TEST_MS, SEEDS * SEED_MS),
);

it("the checker finds what a crash has undone", () => {
  const told = new Told();
  told.status("gone", "COMPLETED");
  told.status("ended", "COMPLETED", '"first"');
  told.attempt("begun", 2);
  told.chunk("streamed", 1, 0, "first");
  told.chunk("streamed", 1, 0, "second");
  told.of("again").mayRunAgain = true;
  told.status("again", "FAILED");
  told.of("purged").mayBeGone = true;
  const running = { status: "IN_PROGRESS", attempt: 1, output: undefined } as const;
  const found = ["ended", "begun", "streamed", "again"].map((id) => [id, running] as const);
  expect(undone(told, new Map(found))).toEqual([
    "streamed: chunk 1.0 was first",
    "gone is gone",
    "ended is IN_PROGRESS, not COMPLETED",
    'ended has the output undefined, not "first"',
    "begun: attempt 2 would be made again",
  ]);
});
