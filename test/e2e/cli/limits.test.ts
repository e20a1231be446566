/** The rate limits of the built `sv-emulate`: its answers, and its summary at the end. */
import { expect, test } from "vitest";
import { temporaryTree } from "../../temporary-tree.ts";
import { startEmulatorProcess } from "../emulator-process.ts";

const QUIET = {
  "sv.config.json": JSON.stringify({
    endpoints: { quiet: { handler: "quiet.js", workersMin: 0 } },
  }),
  "quiet.js": "export default () => 1;",
};

/** The status of each of three purges, one more than the limit of 10 s, and the log when the emulator has ended. */
async function threePurges(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  await using tree = await temporaryTree(QUIET);
  await using emulator = await startEmulatorProcess({
    args: ["--ephemeral", "--s3-port", "off", "--log", "json", ...args],
    env,
    cwd: tree.root,
  });
  const answers: Response[] = [];
  for (let count = 0; count < 3; count += 1) {
    const headers = { authorization: emulator.apiKey ?? "" };
    answers.push(await fetch(`${emulator.url}/v2/quiet/purge-queue`, { method: "POST", headers }));
  }
  await emulator.stop();
  const log = emulator.stderrLines.map((line) => JSON.parse(line) as { readonly msg: string });
  return {
    answers,
    summary: log.map(({ msg }) => msg).filter((msg) => msg.startsWith("rate lim")),
  };
}

test("limits are enforced by default", async () => {
  const { answers, summary } = await threePurges([]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
  const seconds = Number(answers[2]?.headers.get("retry-after"));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(10);
  expect(summary).toEqual([
    expect.stringMatching(
      /^rate limits: 1 request to \/purge-queue of quiet was answered 429, as in production: up to 3 in 10 s where 2 are allowed; at 20/,
    ),
  ]);
});

test("with warn all requests pass, and the summary names those that production would refuse", async () => {
  const { answers, summary } = await threePurges([], { SV_LIMITS: "warn" });
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(answers[2]?.headers.get("sv-limit-exceeded")).toBe("purge-queue 2/10s");
  expect(summary).toEqual([expect.stringContaining("would have been answered 429 in production")]);
});

test("with off there is no summary", async () => {
  const { answers, summary } = await threePurges(["--limits", "off"], { SV_LIMITS: "warn" });
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(answers[2]?.headers.get("sv-limit-exceeded")).toBeNull();
  expect(summary).toEqual([]);
});
