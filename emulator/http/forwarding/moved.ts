/** The refusal of what is another replica's: `endpoint_moved`. */
import { ServiceError } from "../../core/service-error.ts";
import { type Owned, named } from "./owner-of.ts";

const RETRY_AFTER_MS = 1_000;

/** Nothing was done, because nobody was found who could. */
export function moved(owned: Owned): ServiceError {
  return refusal(`no replica has ${named(owned)} at the moment; nothing was done`);
}

export function unknownEnd(owned: Owned): ServiceError {
  return refusal(
    `the replica that had ${named(owned)} went away before it answered; whether it did what was asked is not known`,
  );
}

function refusal(message: string): ServiceError {
  return new ServiceError("endpoint_moved", message, { retryAfterMs: RETRY_AFTER_MS });
}
