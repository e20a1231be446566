/** Transfers errors from the thread of the store. Keeps the classes that callers distinguish. */
import * as errors from "../../../core/store-error.ts";
import { BatchRefusedError } from "../../store.ts";

const KNOWN = {
  StoreFullError: errors.StoreFullError,
  StoreUnusableError: errors.StoreUnusableError,
  StoreDamagedError: errors.StoreDamagedError,
  StoreInUseError: errors.StoreInUseError,
  StoreLostError: errors.StoreLostError,
  BatchRefusedError,
};

/** An error as data. */
export interface Thrown {
  readonly name: string;
  readonly message: string;
  readonly cause: Error | undefined;
}

export function toThrown(error: unknown): Thrown {
  if (!(error instanceof Error)) return { name: "Error", message: String(error), cause: undefined };
  const { name, message, cause } = error;
  return { name, message, cause: cause instanceof Error ? cause : undefined };
}

export function fromThrown({ name, message, cause }: Thrown): Error {
  const known = Object.entries(KNOWN).find(([kept]) => kept === name)?.[1] ?? Error;
  return new known(message, { cause });
}
