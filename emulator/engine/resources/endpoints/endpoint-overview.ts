/** Endpoints for operators: their jobs and workers now and in the last minutes, without a read of jobs from the store. */
import { type Bucket, SERIES_STEPS, STEP_MS } from "../../../core/observe/series/service-series.ts";
import {
  type Drawing,
  type Ends,
  endsSince,
  type Quantiles,
  quantilesSince,
  type SeriesPoints,
  seriesPoints,
  sparkline,
} from "../../../core/observe/series/series-points.ts";
import type { Endpoint } from "../../../core/resources/endpoints/endpoint.ts";
import type { WorkersByState } from "../../../core/workers/workers-by-state.ts";
import type { StepPort } from "../../steps/step-port.ts";
import type { WorkerPort } from "../../workers/worker-port.ts";
import type { HistoryPort } from "../../observe/tell-port.ts";
import type { CatalogPort } from "../catalog-port.ts";
import { healthOfAll, type Health } from "./health.ts";

/** 10 minutes. */
const SPARKLINE_STEPS = 60;
/** 5 minutes. */
const NEWEST_STEPS = 30;

type OverviewUses = StepPort & WorkerPort & HistoryPort & CatalogPort;

export interface EndpointOverview {
  readonly endpoint: Endpoint;
  readonly jobs: Health["jobs"];
  readonly problem: Health["problem"];
  readonly workers: WorkersByState;
  readonly newest: Ends & Quantiles;
  readonly sparkline: Pick<SeriesPoints, "queued" | "running">;
}

export interface EndpointSeries {
  readonly endsAt: number;
  readonly points: SeriesPoints;
}

export async function endpointOverviews(
  engine: OverviewUses,
): Promise<readonly EndpointOverview[]> {
  const overviews: EndpointOverview[] = [];
  for await (const { endpoint, health } of healthOfAll(engine)) {
    const { id } = endpoint;
    const drawing = drawingOf(engine, endpoint, SPARKLINE_STEPS);
    const afterStep = drawing.lastStep - NEWEST_STEPS;
    overviews.push({
      endpoint,
      jobs: health.jobs,
      problem: health.problem,
      workers: engine.fleet.states(id),
      newest: {
        ...endsSince(drawing.buckets, afterStep),
        ...quantilesSince(drawing.buckets, afterStep),
      },
      sparkline: sparkline(drawing),
    });
  }
  return overviews;
}

/** @throws ServiceError endpoint_not_found, endpoint_moved */
export function endpointSeries(engine: OverviewUses, endpointId: string): EndpointSeries {
  engine.ownership.refuseMoved(endpointId);
  const drawing = drawingOf(engine, engine.directory.endpoint(endpointId), SERIES_STEPS);
  return { endsAt: (drawing.lastStep + 1) * STEP_MS, points: seriesPoints(drawing) };
}

function drawingOf(engine: OverviewUses, endpoint: Endpoint, steps: number): Drawing {
  const { series } = engine;
  const lastStep = series.stepNow;
  const firstStep = lastStep - steps + 1;
  const buckets = series.bucketsOf(endpoint.id);
  const depth = engine.steps.countsNow(endpoint.id);
  return {
    buckets: since(buckets, firstStep),
    lastStep,
    steps,
    firstStep: series.firstStep,
    depth,
  };
}

/** The buckets from this step on, and the last bucket before them. */
function since(buckets: readonly Bucket[], firstStep: number): readonly Bucket[] {
  const first = buckets.findIndex(({ step }) => step >= firstStep);
  return buckets.slice(first === -1 ? -1 : Math.max(0, first - 1));
}
