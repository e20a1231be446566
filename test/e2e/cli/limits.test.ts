/** The built `sv-emulate` enforces rate limits, and sums them up at its end. */
import { expect, test } from "vitest";
import { temporaryTree } from "../../temporary-tree.ts";
import { startEmulatorProcess } from "../emulator-process.ts";

test("limits are enforced by default", async () => {
  await using tree = await temporaryTree({
    "sv.config.json": JSON.stringify({
      endpoints: { quiet: { handler: "quiet.js", workersMin: 0 } },
    }),
    "quiet.js": "export default () => 1;",
  });
  const args = ["--ephemeral", "--s3-port", "off", "--log", "json"];
  await using emulator = await startEmulatorProcess({ args, cwd: tree.root });
  const headers = { authorization: emulator.apiKey ?? "" };
  const answers: Response[] = [];
  // The limit is 2 requests in 10 s.
  for (let count = 0; count < 3; count += 1)
    answers.push(await fetch(`${emulator.url}/v2/quiet/purge-queue`, { method: "POST", headers }));
  await emulator.stop();
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
  const seconds = Number(answers[2]?.headers.get("retry-after"));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(10);
  const log = emulator.stderrLines.map(
    (line) => (JSON.parse(line) as { readonly msg: string }).msg,
  );
  expect(log.filter((msg) => msg.startsWith("rate lim"))).toEqual([
    expect.stringMatching(
      /^rate limits: 1 request to \/purge-queue of quiet was answered 429, as in production: up to 3 in 10 s where 2 are allowed; at 20/,
    ),
  ]);
});
