/** Two hundred thousand generated requests to every operation, played on a real server over HTTP. */
import { describe, expect, it } from "vitest";
import { answersIn, playRequests, type Tally } from "../fuzz/play.ts";
import { ALL_DOCUMENTED } from "../unit/http/documented.ts";

const REQUESTS = 200_000;
const REQUESTS_A_SEED = 10_000;

describe(`of ${REQUESTS} generated requests`, () => {
  const tally: Tally = new Map();

  for (let seed = 1; seed <= REQUESTS / REQUESTS_A_SEED; seed += 1) {
    it(`each is answered as the document shows, and nothing breaks (seed ${seed})`, async () => {
      const before = answersIn(tally);
      await playRequests(seed, REQUESTS_A_SEED, tally);
      // Clients that hang up on a stream may have got no answer.
      expect(answersIn(tally) - before).toBeGreaterThan(0.95 * REQUESTS_A_SEED);
    });
  }

  it("some have every success that the document shows", () => {
    const successes = ALL_DOCUMENTED.flatMap(({ method, path, operation }) =>
      Object.keys(operation.responses ?? {})
        .filter((status) => status < "400")
        .map((status) => `${method} ${path} ${status}`),
    );
    expect(successes.filter((success) => !tally.has(success))).toEqual([]);
  });
});
