/** All endpoints with their numbers. */
import type { ServiceEvent } from "../../state/service-event.ts";
import type { EndpointOverviews } from "../../service/generated/answers.ts";
import { type Reading, useRead } from "../../service/use-read.ts";

/** Interval between reads, ms: the durations of the last minutes change with time. */
const EVERY_MS = 10_000;
/** Minimum interval between reads after events, ms. */
const PACE_MS = 1_000;

export function useOverviews(): Reading<EndpointOverviews> {
  return useRead<"observeEndpoints">("emulator/endpoints", {
    concerns: ({ type }: ServiceEvent) => type !== "webhook" && type !== "attempt",
    paceMs: PACE_MS,
    everyMs: EVERY_MS,
  });
}
