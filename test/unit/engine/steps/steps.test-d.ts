/** A step that awaits does not compile. */
import { expectTypeOf, it } from "vitest";
import type { Step } from "../../../../emulator/engine/steps/step.ts";
import type { Steps } from "../../../../emulator/engine/steps/steps.ts";

declare const steps: Steps;

it("a step returns a value, and never a promise", () => {
  const number = () => steps.commit((step) => step.nextSeq());
  expectTypeOf(number).returns.resolves.toBeNumber();
  const nothing = () => steps.commit((step: Step) => void step.nextSeq(), { jobs: ["id"] });
  expectTypeOf(nothing).returns.resolves.toBeVoid();
  // @ts-expect-error it awaits
  void (() => steps.commit(async (step) => step.nextSeq()));
  // @ts-expect-error it awaits
  void (() => steps.commit(() => Promise.resolve()));
  // @ts-expect-error it awaits
  void (() => steps.commit(async () => 1, { jobs: ["id"] }));
  const none = async () => [];
  // @ts-expect-error it awaits
  void (() => steps.commitOn(none, async () => undefined));
});
