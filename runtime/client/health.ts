/** The answers of `/health` and `/purge-queue`. */
import { InvalidResponseError } from "./errors/errors.ts";
import { isRecord } from "./json-shape.ts";

/** Counts of one endpoint. Further counts that the service may send are kept too. */
export interface EndpointHealth {
  readonly jobs: {
    readonly completed: number;
    readonly failed: number;
    readonly inProgress: number;
    readonly inQueue: number;
    readonly retried: number;
  };
  readonly workers: {
    readonly idle: number;
    readonly running: number;
    readonly [state: string]: number;
  };
  /** Why workers do not start, or failed: a sentence. Absent if there is no reason, and on the live service. */
  readonly problem?: string;
}

export interface PurgeResult {
  /** Jobs that were removed from the queue. */
  readonly removed: number;
  /** `completed`. */
  readonly status: string;
}

/** @throws InvalidResponseError */
export function readHealth(value: unknown): EndpointHealth {
  if (isRecord(value) && hasCounts(value["jobs"]) && hasCounts(value["workers"])) {
    return value as unknown as EndpointHealth; // both groups were checked to hold numbers
  }
  throw new InvalidResponseError(
    "The answer is not an endpoint's health: it lacks jobs or workers.",
  );
}

/** @throws InvalidResponseError */
export function readPurgeResult(value: unknown): PurgeResult {
  if (
    isRecord(value) &&
    typeof value["removed"] === "number" &&
    typeof value["status"] === "string"
  ) {
    return { removed: value["removed"], status: value["status"] };
  }
  throw new InvalidResponseError("The answer does not say how many jobs were removed.");
}

function hasCounts(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every((count) => typeof count === "number");
}
