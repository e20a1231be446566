/** The pure core against a model of its rules, with any order of failed batches, late reads and passing time. */
import { expect, test } from "vitest";
import type { JobEvent } from "../../../../../emulator/core/jobs/job-event.ts";
import { sized } from "../../../../setup/size.ts";
import { CoreWorld, REPORTS } from "./core-world.ts";

const STEPS = 120;

/** Numbers below a bound, equal for equal seeds. */
function random(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function wish(world: CoreWorld, at: (below: number) => number): JobEvent | undefined {
  const wishes: readonly (JobEvent | undefined)[] = [
    { type: "cancel" },
    { type: "retry", nextQueueKey: world.nextSeq() },
    { type: "read-chunks", count: 1 + at(3) },
    { type: "set-ttl", ttlMs: 1 + at(120_000) },
    { type: "purge" },
    undefined,
  ];
  return wishes[at(wishes.length)];
}

function act(world: CoreWorld, at: (below: number) => number): void {
  const ids = [...world.model.keys(), ...world.stored.keys()];
  const id = ids[at(ids.length)];
  const { token = "", jobId = "" } = world.tokens[at(world.tokens.length)] ?? {};
  switch (at(16)) {
    case 0:
    case 1:
    case 2:
      return world.submit();
    case 3:
    case 4:
    case 5:
      return world.handOver();
    case 6:
    case 7:
    case 8:
      if (jobId !== "") world.act(jobId, world.report(token, at(REPORTS.length + 4)));
      return;
    case 9: {
      if (id === undefined) return;
      const event = wish(world, at);
      return event ? world.act(id, event) : world.look(id);
    }
    case 10:
      return world.pass(at(4) === 0 ? at(40_000) : at(2_000));
    case 11:
      return at(6) === 0 ? world.failed() : world.flushed();
    case 12:
      return world.reads.splice(at(world.reads.length), 1)[0]?.();
    default:
      return world.seal();
  }
}

function play(seed: number): void {
  const world = new CoreWorld();
  const at = random(seed);
  for (let step = 0; step < STEPS; step += 1) {
    act(world, at);
    world.checkCounts();
  }
  world.end();
}

test(
  "the core follows the rules, hands over in order and loses no job",
  { timeout: 3_600_000 },
  () => {
    const seeds = sized(1_000, 1_000_000);
    const startedAt = performance.now();
    for (let seed = 1; seed <= seeds; seed += 1)
      expect(() => play(seed), `seed ${seed}`).not.toThrow();
    const perSecond = Math.round((1_000 * seeds) / (performance.now() - startedAt));
    console.log(`figure: ${seeds} seeds of the pure core, ${perSecond} a second`);
  },
);
