/** Generated requests to every operation: a few thousand of those that the model tests play two hundred thousand of. */
import { expect, test } from "vitest";
import { answersIn, playRequests, type Tally } from "../../fuzz/play.ts";

test("whatever is asked, the answer is one the document shows", async () => {
  const tally: Tally = new Map();
  await playRequests(1, 2_000, tally);
  expect(answersIn(tally)).toBeGreaterThan(1_900);
});
