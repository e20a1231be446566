/** Schemas for operators: the state of endpoints, their series, and the scaler's decisions. */
import { z } from "zod";
import { STEP_MS } from "../../core/observe/series/service-series.ts";
import { COUNTED_STATES } from "../../core/workers/workers-by-state.ts";
import { ENDPOINT_TYPES } from "../../core/resources/endpoints/endpoint.ts";
import { answered, anyJson, instant } from "./contract.ts";
import { healthSchema } from "./job.ts";

const count = z.int().min(0);
const points = z.array(count.nullable());
const quantile = count.nullable();
const stepMs = z.literal(STEP_MS);

const overState = <Schema extends z.ZodType>(schema: Schema) =>
  z.strictObject(Object.fromEntries(COUNTED_STATES.map((state) => [state, schema])));

const overviewSchema = answered("EndpointOverview", {
  id: z.string(),
  name: z.string(),
  type: z.enum(ENDPOINT_TYPES),
  version: z.int(),
  workersMin: count,
  workersMax: count,
  jobs: healthSchema.shape.jobs,
  workers: overState(count).meta({ description: "Number of workers in each state." }),
  problem: healthSchema.shape.problem,
  refusedInProduction: count.meta({
    description: "Requests over a rate limit since the start, refused or only reported.",
  }),
  newest: z
    .strictObject({
      completed: count,
      failed: count.meta({ description: "FAILED and TIMED_OUT." }),
      delayP50: quantile,
      delayP95: quantile,
      executionP50: quantile,
      executionP95: quantile,
    })
    .meta({ description: "Durations of the last 5 minutes, ms; null: there were none." }),
  sparkline: z
    .strictObject({ stepMs, queued: points, running: points })
    .meta({ description: "The last 10 minutes." }),
  inputSchema: anyJson().optional().meta({ description: "JSON Schema, if its handler has one." }),
  outputSchema: anyJson().optional(),
});

export const overviewsSchema = answered("EndpointOverviews", {
  endpoints: z.array(overviewSchema),
});

export const seriesSchema = answered("EndpointSeries", {
  stepMs,
  endsAt: instant().meta({ description: "End of the last step, which is not over yet." }),
  points: z
    .strictObject({
      queued: points.meta({ description: "Maximum number of simultaneous jobs within the step." }),
      running: points,
      completed: points.meta({ description: "Jobs that ended in the step." }),
      failed: points.meta({ description: "FAILED and TIMED_OUT." }),
      delayP50: points.meta({ description: "Time from the queue to a worker, ms." }),
      delayP95: points,
      executionP50: points.meta({ description: "Time from the worker to the end of the job, ms." }),
      executionP95: points,
      workers: overState(points).meta({ description: "At the end of the step." }),
    })
    .meta({ description: "One value per step of the last hour; null: nothing was measured." }),
});

export const decisionsSchema = answered("ScalerDecisions", {
  decisions: z
    .array(
      z.strictObject({
        at: instant(),
        start: count.meta({ description: "Number of workers that were started." }),
        drain: z.array(z.string()).meta({ description: "Ids of workers that were told to leave." }),
        workers: count.meta({
          description: "Number of workers that were starting or ready before.",
        }),
        wanted: count,
        reason: z.string(),
      }),
    )
    .meta({ description: "The newest first." }),
});
