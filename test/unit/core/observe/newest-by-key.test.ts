/** A store of the newest items of many keys: it stays within its bounds, and always has the newest item of each key. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { NewestByKey } from "../../../../emulator/core/observe/newest-by-key.ts";

const KEYS = ["a", "b", "c", "d"];

it("the store keeps the newest items of each key, within the bounds for all keys", () => {
  const perKey = fc.integer({ min: 1, max: 5 });
  const inAll = fc.integer({ min: 1, max: 12 });
  const keys = fc.array(fc.constantFrom(...KEYS), { maxLength: 60 });
  fc.assert(
    fc.property(perKey, inAll, keys, (most, mostInAll, added) => {
      const kept = new NewestByKey<number>({ perKey: most, inAll: mostInAll });
      for (const [number, key] of added.entries()) {
        kept.add(key, number);
        expect(kept.newest(key)).toBe(number);
      }
      const counts = KEYS.map((key) => kept.of(key).length);
      expect(Math.max(...counts)).toBeLessThanOrEqual(most);
      expect(counts.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(mostInAll);
      for (const key of KEYS) {
        const own = added.flatMap((each, number) => (each === key ? number : []));
        const { length } = kept.of(key);
        expect(kept.of(key)).toEqual(length === 0 ? [] : own.slice(-length));
      }
    }),
  );
});

it("the store drops items of the key that has been idle for longest", () => {
  const kept = new NewestByKey<number>({ perKey: 10, inAll: 3 });
  for (const [number, key] of ["a", "b", "a", "c"].entries()) kept.add(key, number);
  expect(KEYS.map((key) => kept.of(key))).toEqual([[0, 2], [], [3], []]);
});

it("the store has room again after items were deleted", () => {
  const kept = new NewestByKey<number>({ perKey: 10, inAll: 2 });
  kept.add("a", 1);
  kept.add("a", 2);
  kept.delete("a");
  kept.add("b", 3);
  kept.add("c", 4);
  expect(KEYS.map((key) => kept.of(key))).toEqual([[], [3], [4], []]);
  kept.dropWhile("b", () => true);
  expect(kept.of("b")).toEqual([3]);
});
