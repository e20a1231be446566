/** Pages of a list show each lasting resource once, newest first, while others come and go. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { pageOf, type PlaceInList } from "../../../../../emulator/http/management/rest-v2/page.ts";
import { startTestHttp } from "../../http-harness.ts";

const QUEUE_DELAY = { type: "QUEUE_DELAY", queueDelay: 4 };

const placeOf = (thing: PlaceInList) => thing;

function things(from: number, to: number): readonly PlaceInList[] {
  return Array.from({ length: to - from }, (_, at) => ({
    at: String(Math.floor((from + at) / 3)).padStart(4, "0"),
    id: `t${from + at}`,
  }));
}

test("each lasting resource is shown once while others come and go between pages", () => {
  const scene = fc.record({
    stay: fc.uniqueArray(fc.nat(60), { maxLength: 30 }),
    go: fc.uniqueArray(fc.nat(60), { maxLength: 30 }),
    limit: fc.integer({ min: 1, max: 7 }),
  });
  fc.assert(
    fc.property(scene, ({ stay, go, limit }) => {
      const all = things(0, 61);
      const staying = all.filter((_, at) => stay.includes(at));
      const seen: PlaceInList[] = [];
      let cursor: string | undefined;
      // Every page has an entry: no list needs more pages.
      for (let round = 0; round < 100; round += 1) {
        // A resource to delete is in every second page; a new one is newer than all.
        const going = all.filter((_, at) => go.includes(at) && !stay.includes(at));
        const now = [...staying, ...(round % 2 === 0 ? going : []), ...things(200, 200 + round)];
        const query = { limit: String(limit), ...(cursor !== undefined && { cursor }) };
        const { shown, pagination } = pageOf(now, query, placeOf);
        seen.push(...shown);
        expect(pagination.hasNextPage).toBe(pagination.nextCursor !== null);
        if (pagination.nextCursor === null) break;
        cursor = pagination.nextCursor;
      }
      const ids = seen.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toEqual(expect.arrayContaining(staying.map(({ id }) => id)));
      expect(seen.map(({ at }) => at)).toEqual(
        seen
          .map(({ at }) => at)
          .toSorted()
          .toReversed(),
      );
    }),
  );
});

test("without a limit a page has up to a thousand entries", () => {
  const { shown, pagination } = pageOf(things(0, 1_001), {}, placeOf);
  expect(shown).toHaveLength(1_000);
  expect(shown[0]).toEqual({ at: "0333", id: "t999" });
  expect(pagination.hasNextPage).toBe(true);
  expect(pageOf(things(0, 3), {}, placeOf).pagination).toEqual({
    nextCursor: null,
    hasNextPage: false,
  });
});

test.each([{ limit: "0" }, { limit: "1001" }, { limit: "a" }, { cursor: "a" }, { cursor: "W10" }])(
  "the query %j is refused",
  (query) => {
    expect(() => pageOf([], query, placeOf)).toThrow("Request validation failed.");
  },
);

test.each([
  ["templates", {}],
  ["serverless", { type: "QUEUE", gpu: { pools: ["ADA_24"] }, scaling: QUEUE_DELAY }],
  ["pods", { gpu: { id: "NVIDIA L4" } }],
])("%s are listed in pages, newest first", async (path, more) => {
  await using service = await startTestHttp();
  const names = ["one", "two", "three"];
  for (const name of names) {
    await service.test.clock.advance(1_000);
    await service.call("POST", `/live/v2/${path}`, { body: { name, image: "me/box:1", ...more } });
  }
  const page = async (query: string) => {
    const { json } = await service.call("GET", `/live/v2/${path}?limit=2${query}`);
    const { pagination, ...list } = json as Readonly<Record<string, unknown>>;
    const [shown] = Object.values(list) as { name: string }[][];
    const { nextCursor, hasNextPage } = pagination as { nextCursor: string; hasNextPage: boolean };
    expect(hasNextPage).toBe(nextCursor !== null);
    return { shown: shown?.map(({ name }) => name), nextCursor };
  };
  const first = await page("");
  expect(first).toEqual({ shown: ["three", "two"], nextCursor: expect.any(String) });
  // One endpoint existed before.
  const { shown, nextCursor } = await page(`&cursor=${first.nextCursor}`);
  expect([shown?.[0], nextCursor]).toEqual(["one", null]);
});
