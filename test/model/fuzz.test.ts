/** Generated requests to every operation, played on a real server over HTTP, 48 at a time. */
import { describe, expect, it } from "vitest";
import { answersIn, playRequests, playUntilDone, type Tally } from "../fuzz/play.ts";
import { nameOf } from "../fuzz/request-arbitrary.ts";
import { sized, testInFull } from "../setup/size.ts";
import { ALL_DOCUMENTED } from "../unit/http/documented.ts";

const REQUESTS = sized(600, 200_000);
const REQUESTS_A_SEED = sized(600, 10_000);
/** Maximum number of further services for the documented successes that are still missing. */
const MOST_MORE = 20;

/** Number of requests to each further service. */
const MORE = 768;

/**
 * Operations left out: a ticket of the dashboard can be used once; its page is for browsers, and its files have
 * names of their build: test/unit/http/emulator/dashboard.
 */
const LEFT_OUT = ["POST /emulator/session 201", "GET / 200", "GET /ui/{file} 200"];

describe(`of ${REQUESTS} generated requests`, () => {
  const tally: Tally = new Map();

  for (let seed = 1; seed <= REQUESTS / REQUESTS_A_SEED; seed += 1) {
    it(`each gets a documented answer, and no defect is logged (seed ${seed})`, async () => {
      const before = answersIn(tally);
      await playRequests(seed, REQUESTS_A_SEED, tally);
      // Clients that disconnect from a stream may have got no answer.
      expect(answersIn(tally) - before).toBeGreaterThan(0.95 * REQUESTS_A_SEED);
    });
  }

  testInFull("together they get every documented success", async () => {
    const successes = ALL_DOCUMENTED.flatMap((documented) =>
      Object.keys(documented.operation.responses ?? {})
        .filter((status) => status < "400")
        .map((status) => ({ of: nameOf(documented), success: `${nameOf(documented)} ${status}` })),
    ).filter(({ success }) => !LEFT_OUT.includes(success));
    const missing = () => successes.filter(({ success }) => !tally.has(success));
    // Some statuses are rare, and the seed alone does not decide which occur.
    const wanted = () => new Set(missing().map(({ of }) => of));
    for (let more = 1; more <= MOST_MORE && missing().length > 0; more += 1)
      await playUntilDone(REQUESTS + more * MORE, MORE, tally, wanted);
    expect(missing()).toEqual([]);
  });
});
