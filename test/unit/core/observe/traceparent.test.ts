/** Valid `traceparent` headers. */
import { expect, test } from "vitest";
import { readTraceparent } from "../../../../emulator/core/observe/traceparent.ts";

const VALID = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

test("a valid traceparent is passed on unchanged", () => {
  expect(readTraceparent(VALID)).toBe(VALID);
});

test("the known part of a later version is passed on", () => {
  const later = VALID.replace("00-", "cc-");
  expect(readTraceparent(`${later}-what-the-future-will-be-like`)).toBe(later);
});

test.each([
  undefined,
  "",
  [VALID, VALID],
  `${VALID}-more`,
  VALID.toUpperCase(),
  VALID.replace("00-", "ff-"),
  VALID.replace("0af7651916cd43dd8448eb211c80319c", "0".repeat(32)),
  VALID.replace("b7ad6b7169203331", "0".repeat(16)),
  VALID.slice(0, -1),
  "00-short-b7ad6b7169203331-01",
])("%j is ignored", (header) => {
  expect(readTraceparent(header)).toBeUndefined();
});
