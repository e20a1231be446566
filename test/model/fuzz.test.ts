/** Generated requests to every operation, played on a real server over HTTP, 48 at a time: 250 plays, in a full run over 4,000. */
import { describe, expect, it } from "vitest";
import { answersIn, playRequests, type Tally } from "../fuzz/play.ts";
import { sized } from "../setup/size.ts";
import { ALL_DOCUMENTED } from "../unit/http/documented.ts";

const REQUESTS = sized(12_000, 200_000);
const REQUESTS_A_SEED = sized(6_000, 10_000);
/** So many further seeds are played for a success that none of the requests had. */
const MOST_MORE = 3;

/** A ticket of the dashboard can be used once; its page is for browsers, and its files have names of their build: test/unit/http/dashboard. */
const LEFT_OUT = ["POST /emulator/session 201", "GET / 200", "GET /ui/{file} 200"];

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

  it("some have every success that the document shows", async () => {
    const successes = ALL_DOCUMENTED.flatMap(({ method, path, operation }) =>
      Object.keys(operation.responses ?? {})
        .filter((status) => status < "400")
        .map((status) => `${method} ${path} ${status}`),
    );
    const missing = () =>
      successes.filter((success) => !tally.has(success) && !LEFT_OUT.includes(success));
    // Some are rare, and which come about is not for the seed alone to say.
    for (let more = 1; more <= MOST_MORE && missing().length > 0; more += 1)
      await playRequests(REQUESTS / REQUESTS_A_SEED + more, REQUESTS_A_SEED, tally);
    expect(missing()).toEqual([]);
  });
});
