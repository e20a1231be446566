/**
 * `GET /v2/serverless/{id}/releases`: the versions of an endpoint, the cause of each, and the progress of the newest (live).
 */
import { z } from "zod";
import type { Release } from "../../../core/resources/endpoints/release.ts";
import { listReleases } from "../../../engine/resources/endpoints/put-endpoint.ts";
import type { WorkerHandle } from "../../../engine/workers/worker-handle.ts";
import { jsonAnswer } from "../../operation/answers/answer.ts";
import type { EndpointPath, Operation } from "../../operation/operation.ts";
import { instant, json } from "../../schemas/contract.ts";
import { pageOf, pageParameters, paginationSchema } from "../rest-v2/page.ts";
import { liveWorkersOf } from "./rest-v2-workers.ts";

const anyValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()]);

const releaseSchema = z
  .strictObject({
    id: z.string(),
    source: z.enum(["MANUAL", "GIT_BUILD"]),
    createdAt: instant(),
    workerCount: z.int().meta({ description: "Present workers of this version." }),
    diff: z
      .array(z.strictObject({ field: z.string(), old: anyValue, new: anyValue }))
      .meta({ description: "Environment variables are listed by name only." }),
    version: z.int().nullable(),
    buildId: z.string().nullable(),
    createdByUserId: z.string().nullable(),
  })
  .meta({ id: "Release" });

const rolloutSchema = z.strictObject({
  inProgress: z.boolean(),
  workersOnLatest: z.int(),
  workersTotal: z.int(),
  percentOnLatest: z.int().meta({ description: "0 without workers." }),
});

export const listReleasesV2: Operation<EndpointPath> = {
  methods: ["GET"],
  path: "/v2/serverless/:endpointId/releases",
  contract: {
    tag: "endpoints",
    query: z.object(pageParameters),
    answers: {
      200: json(
        "A page, newest first; the last 100 versions are kept.",
        z.strictObject({
          endpointVersion: z.int(),
          rollout: rolloutSchema,
          releases: z.array(releaseSchema),
          pagination: paginationSchema,
        }),
      ),
    },
    errors: ["endpoint_not_found", "unprocessable"],
  },
  async perform({ service: { engine }, path: { endpointId }, query }) {
    const { version } = engine.directory.endpoint(endpointId);
    const workers = liveWorkersOf(engine, endpointId);
    const page = pageOf(listReleases(engine, endpointId), query, placeOf);
    return jsonAnswer({
      endpointVersion: version,
      rollout: rolloutOf(version, workers),
      releases: page.shown.map((release) => shown(release, workers)),
      pagination: page.pagination,
    });
  },
};

/** Minimum number of digits of a version, so that texts sort like numbers. */
const VERSION_DIGITS = 16;

function placeOf({ id, version }: Release) {
  return { at: String(version).padStart(VERSION_DIGITS, "0"), id };
}

function shown({ id, version, createdAt, diff }: Release, workers: readonly WorkerHandle[]) {
  return {
    id,
    source: "MANUAL",
    createdAt,
    workerCount: workers.filter(({ endpointVersion }) => endpointVersion === version).length,
    diff,
    version,
    buildId: null,
    createdByUserId: null,
  };
}

function rolloutOf(version: number, workers: readonly WorkerHandle[]) {
  const workersTotal = workers.length;
  const workersOnLatest = workers.filter((worker) => worker.endpointVersion === version).length;
  return {
    inProgress: workersOnLatest < workersTotal,
    workersOnLatest,
    workersTotal,
    percentOnLatest: Math.round((100 * workersOnLatest) / Math.max(1, workersTotal)),
  };
}
