/** All endpoints with their numbers, asked for again while something happens. */
import type { ServiceEvent } from "../../state/service-event.ts";
import type { EndpointOverviews } from "../../service/generated/answers.ts";
import { type Reading, useRead } from "../../service/use-read.ts";

/** Durations of the last minutes change by the passing of time, too. */
const EVERY_MS = 10_000;
const PACE_MS = 1_000;

export function useOverviews(): Reading<EndpointOverviews> {
  return useRead<"observeEndpoints">("emulator/endpoints", {
    concerns: ({ type }: ServiceEvent) => type !== "webhook" && type !== "attempt",
    paceMs: PACE_MS,
    everyMs: EVERY_MS,
  });
}
