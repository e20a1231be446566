/** `GET /v2/serverless/{id}/workers`: the workers of an endpoint, and the number of them in each state (live). */
import { z } from "zod";
import type { Endpoint } from "../../../core/resources/endpoints/endpoint.ts";
import type { TimePort } from "../../../engine/time/time-port.ts";
import type { WorkerPort } from "../../../engine/workers/worker-port.ts";
import type { CatalogPort } from "../../../engine/resources/catalog-port.ts";
import type { WorkerHandle } from "../../../engine/workers/worker-handle.ts";
import { jsonAnswer } from "../../operation/answers/answer.ts";
import type { EndpointPath, Operation } from "../../operation/operation.ts";
import { instant, json } from "../../schemas/contract.ts";
import { iso } from "../../../core/time/iso.ts";

const STATUSES = ["RUNNING", "IDLE", "INITIALIZING", "THROTTLED", "UNHEALTHY"] as const;

const workerSchema = z
  .strictObject({
    id: z.string(),
    status: z.enum(STATUSES).meta({ description: "`RUNNING`: has a job." }),
    gpuCount: z.int(),
    isStale: z.boolean().meta({ description: "The endpoint has a newer version than the worker." }),
    version: z.int().nullable().meta({ description: "Version that the worker was started for." }),
    image: z.string().nullable(),
    uptimeSeconds: z.int().nullable(),
    gpuTypeId: z.string().nullable(),
    dataCenterId: z.string().nullable(),
    startedAt: instant().nullable(),
  })
  .meta({ id: "Worker" });

type Shown = z.infer<typeof workerSchema>;

const summarySchema = z.strictObject({
  running: z.int(),
  idle: z.int(),
  initializing: z.int(),
  throttled: z.int(),
  unhealthy: z.int(),
  total: z.int(),
});

export const listWorkersV2: Operation<EndpointPath> = {
  methods: ["GET"],
  path: "/v2/serverless/:endpointId/workers",
  contract: {
    tag: "endpoints",
    answers: {
      200: json(
        "Workers that have not ended, or that the endpoint needs but cannot get.",
        z.strictObject({
          workers: z.array(workerSchema),
          summary: summarySchema,
          endpointVersion: z.int().nullable(),
        }),
      ),
    },
    errors: ["endpoint_not_found"],
  },
  async perform({ service: { engine }, path: { endpointId } }) {
    const endpoint = engine.directory.endpoint(endpointId);
    const there = liveWorkersOf(engine, endpointId).map((worker) =>
      shown(engine, endpoint, worker),
    );
    const workers = [...there, ...missingOf(engine, endpoint, there)];
    const count = (status: Shown["status"]) =>
      workers.filter((worker) => worker.status === status).length;
    return jsonAnswer({
      workers,
      summary: {
        running: count("RUNNING"),
        idle: count("IDLE"),
        initializing: count("INITIALIZING"),
        throttled: count("THROTTLED"),
        unhealthy: count("UNHEALTHY"),
        total: workers.length,
      },
      endpointVersion: endpoint.version,
    });
  },
};

export function liveWorkersOf({ fleet }: WorkerPort, endpointId: string): readonly WorkerHandle[] {
  return fleet.workersOf(endpointId).filter(({ state }) => state !== "ended");
}

function shown(
  { clock, directory }: TimePort & CatalogPort,
  endpoint: Endpoint,
  worker: WorkerHandle,
): Shown {
  const template = worker.template ?? directory.findTemplate(endpoint.templateId);
  return {
    id: worker.id,
    status: statusOf(worker),
    gpuCount: worker.gpus.length,
    isStale: worker.endpointVersion < endpoint.version,
    version: worker.endpointVersion,
    image: template?.imageName ?? null,
    uptimeSeconds: Math.max(0, Math.floor((clock.now() - worker.startedAt) / 1_000)),
    gpuTypeId: worker.gpus[0]?.typeId ?? null,
    dataCenterId: endpoint.dataCenterIds?.[0] ?? null,
    startedAt: iso(worker.startedAt),
  };
}

function statusOf(worker: WorkerHandle): Shown["status"] {
  if (worker.launched?.obstacle?.()?.isThrottled === true) return "THROTTLED";
  switch (worker.state) {
    case "initializing":
      return "INITIALIZING";
    case "unhealthy":
    case "lost":
      return "UNHEALTHY";
    case "draining":
      return "RUNNING";
    default:
      return worker.heldCount > 0 ? "RUNNING" : "IDLE";
  }
}

/** Placeholders for workers that wait for a GPU: they do not exist yet and have no ids of their own. */
function missingOf(
  { fleet }: WorkerPort,
  { id, gpuCount, dataCenterIds }: Endpoint,
  there: readonly Shown[],
): readonly Shown[] {
  const known = there.filter(({ status }) => status === "THROTTLED").length;
  const count = Math.max(0, fleet.counts(id).throttled - known);
  return Array.from({ length: count }, (_, at) => ({
    id: `${id}-throttled-${at + 1}`,
    status: "THROTTLED" as const,
    gpuCount,
    isStale: false,
    version: null,
    image: null,
    uptimeSeconds: null,
    gpuTypeId: null,
    dataCenterId: dataCenterIds?.[0] ?? null,
    startedAt: null,
  }));
}
