/** Durations in words, and invalid ones when the clock is advanced. */
import { expect, it } from "vitest";
import { readAdvanceMs } from "../../../../emulator/core/time/advance-input.ts";
import { parseDuration } from "../../../../emulator/core/time/duration.ts";

it.each([
  ["0s", 0],
  ["250ms", 250],
  ["20s", 20_000],
  ["31m", 1_860_000],
  ["1h30m", 5_400_000],
  ["7d", 604_800_000],
  ["1d2h3m4s5ms", 93_784_005],
  ["1m500ms", 60_500],
])("the duration %s is %d ms", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

it.each(["", "31", "m", "1.5h", "-1s", "5m1h", "1m1m", "1 m", "31 minutes", "1M", "٣s"])(
  "the text %j is no duration",
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);

const FORM = `a duration like "31m", "1h30m" or "250ms", or a whole number of ms`;

it.each([
  [{}, `advance is required and must be ${FORM}`],
  [{ advance: "soon" }, `advance must be ${FORM}; got "soon"`],
  [{ advance: 1.5 }, `advance must be ${FORM}; got 1.5`],
  [{ advance: null }, `advance must be ${FORM}; got null`],
  [{ advance: "31m", by: 1 }, `the key "by" is unknown`],
  [{ advanse: "31m" }, `the key "advanse" is unknown; did you mean advance?`],
  [
    { advance: -60_000 },
    "advance must not be negative, as service time never goes backwards; got -60000",
  ],
  [
    { advance: "-1m" },
    'advance must not be negative, as service time never goes backwards; got "-1m"',
  ],
  [{ advance: "367d" }, 'advance must be at most 366 days at a time; got "367d"'],
  [
    { advance: `${"9".repeat(400)}d` },
    `advance must be at most 366 days at a time; got "${"9".repeat(59)}…`,
  ],
  [["31m"], "the body must be an object; got an array"],
])("the refusal of an advance says what is wrong (%#)", (body, problem) => {
  const refused = (): unknown => {
    try {
      return readAdvanceMs(body);
    } catch (error) {
      return error;
    }
  };
  const problems = (refused() as { problems: readonly string[] }).problems;
  expect(problems).toContain(problem);
});

it("an advance can be a text or a number of ms", () => {
  expect(readAdvanceMs({ advance: "31m" })).toBe(1_860_000);
  expect(readAdvanceMs({ advance: 250 })).toBe(250);
  expect(readAdvanceMs({ advance: 0 })).toBe(0);
});
