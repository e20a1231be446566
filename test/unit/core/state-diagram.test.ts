/** The drawing of the job's state machine in ARCHITECTURE.md is the one its table gives. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { withStateMachine } from "../../../scripts/state-diagram.ts";

const document = readFileSync(new URL("../../../ARCHITECTURE.md", import.meta.url), "utf8");

it("the state diagram in ARCHITECTURE.md is drawn from the table as it is now", () => {
  expect(document).toBe(withStateMachine(document));
});

it("a diagram that is out of date is noticed", () => {
  const stale = document.replace(
    "IN_QUEUE --> IN_PROGRESS: hand-over",
    "IN_QUEUE --> FAILED: hand-over",
  );
  expect(stale).not.toBe(document);
  expect(withStateMachine(stale)).toBe(document);
});
