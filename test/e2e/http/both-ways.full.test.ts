/** Large inputs and outputs of one worker use its connection at the same time. */
import { expect, test } from "vitest";
import { Stage } from "../jobs/stage.ts";

const JOBS = 4;
const CHARACTERS = 19_900_000;

test(`${JOBS} inputs of 20 MB for a worker do not delay the ${JOBS} outputs of 20 MB that it sends`, async () => {
  await using stage = await Stage.set({
    endpoints: { large: { handler: "echo.ts", workersMax: 1 } },
  });
  const large = stage.endpoint("large");
  const input = { text: "0123456789".repeat(CHARACTERS / 10) };
  const answers = Array.from({ length: 2 * JOBS }, () => large.runSync(input, { waitMs: 300_000 }));
  for (const { status, retries } of await Promise.all(answers))
    expect({ status, retries }).toEqual({ status: "COMPLETED", retries: undefined });
});
