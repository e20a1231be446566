/** Turns a call that must fail into its error. */
import { expect } from "vitest";

/** What a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail("the call succeeded"),
    (error: unknown) => error,
  );
}
