/**
 * Endpoints move between engines at random: no acknowledged job is lost, none is decided twice, and queues keep
 * their order.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { sized } from "../../../setup/size.ts";
import { type Act, MovingWorld } from "./moving-world.ts";

const acts = fc.array(
  fc.record<Act>({
    what: fc.nat(11),
    partition: fc.nat(1),
    member: fc.nat(2),
    pick: fc.nat(10_000),
  }),
  { minLength: 10, maxLength: 60, size: "max" },
);

const SEED = 20_261_123;

function holds(
  change: (world: MovingWorld) => void = () => undefined,
  moved: (moves: number) => void = () => undefined,
) {
  return fc.asyncProperty(acts, async (drawn) => {
    const world = new MovingWorld();
    await world.open();
    change(world);
    for (const act of drawn) await world.act(act);
    await world.end();
    moved(world.moves);
  });
}

it(
  "no acknowledged job is lost, no job is decided by two engines, and queues keep their order",
  { timeout: sized(20_000, 240_000) },
  async () => {
    let moves = 0;
    await fc.assert(
      holds(undefined, (more) => (moves += more)),
      { numRuns: sized(40, 1_500), ...(sized(1, 0) === 1 && { seed: SEED }) },
    );
    // The property itself is tested.
    expect(moves).toBeGreaterThan(50);
  },
);

it("the property fails if an engine keeps the state of endpoints that moved away", async () => {
  const keepsAll = ({ service }: MovingWorld) => {
    for (const { engine } of service.members)
      Object.assign(engine.steps.memory, { forget: () => undefined });
  };
  const { failed } = await fc.check(holds(keepsAll), {
    numRuns: 40,
    seed: SEED,
    endOnFailure: true,
  });
  expect(failed).toBe(true);
});

it("the property fails if the store lets any replica write", async () => {
  const isOpenToAll = ({ service }: MovingWorld) => {
    service.shared.isFenced = false;
  };
  const { failed } = await fc.check(holds(isOpenToAll), {
    numRuns: 40,
    seed: SEED,
    endOnFailure: true,
  });
  expect(failed).toBe(true);
});
