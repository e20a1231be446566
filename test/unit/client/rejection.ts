/** Turns a call that must fail into its error. */
import { expect } from "vitest";

/** The reason with which a promise rejects. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail("the call succeeded"),
    (error: unknown) => error,
  );
}
