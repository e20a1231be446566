/** The ordered set of the memory store, against a sorted array. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { OrderedSet } from "../../../emulator/store/memory/ordered-set.ts";

const place = fc.record({
  at: fc.integer({ min: -5, max: 400 }),
  seq: fc.integer({ min: 1, max: 40 }),
});
const change = fc.record({ kind: fc.constantFrom("add", "add", "delete"), place });

it("the set has the items of a sorted array, after any additions and deletions", () => {
  fc.assert(
    fc.property(
      fc.array(change, { size: "max", maxLength: 3_000 }),
      fc.nat(60),
      (changes, limit) => {
        const set = new OrderedSet();
        const present = new Map<string, { at: number; seq: number }>();
        for (const {
          kind,
          place: { at, seq },
        } of changes) {
          const key = `${at}/${seq}`;
          if (kind === "add" && !present.has(key)) set.add(at, seq);
          if (kind === "delete") set.delete(at, seq);
          if (kind === "add") present.set(key, { at, seq });
          else present.delete(key);
        }
        const sorted = [...present.values()].toSorted((a, b) => a.at - b.at || a.seq - b.seq);
        expect(set.first(Infinity)).toEqual(sorted.map(({ seq }) => seq));
        expect(set.first(limit)).toEqual(sorted.slice(0, limit).map(({ seq }) => seq));
        const early = sorted.filter(({ at }) => at <= 100);
        expect(set.first(Infinity, 100)).toEqual(early.map(({ seq }) => seq));
        expect(set.firstAt()).toBe(sorted[0]?.at);
        const late = sorted.toReversed().map(({ seq }) => seq);
        expect(set.last(Infinity)).toEqual(late);
        expect(set.last(limit)).toEqual(late.slice(0, limit));
        const below = sorted.filter(({ at }) => at < 100).toReversed();
        expect(set.last(limit, 100)).toEqual(below.slice(0, limit).map(({ seq }) => seq));
      },
    ),
    { numRuns: 60 },
  );
});

it("the set keeps 100,000 items in order when they are added in order and removed from the front", () => {
  const set = new OrderedSet();
  for (let seq = 1; seq <= 100_000; seq += 1) set.add(seq, seq);
  for (let seq = 1; seq <= 60_000; seq += 1) set.delete(seq, seq);
  set.add(7, 7);
  expect(set.first(3)).toEqual([7, 60_001, 60_002]);
  expect(set.first(Infinity)).toHaveLength(40_001);
  expect(set.last(3)).toEqual([100_000, 99_999, 99_998]);
  expect(set.last(2, 60_002)).toEqual([60_001, 7]);
});
