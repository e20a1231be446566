/** An endpoint's record with every field. */
import { DEFAULT_RETRY_RULES } from "../../../emulator/core/jobs/job.ts";
import type { Endpoint } from "../../../emulator/core/resources/endpoints/endpoint.ts";

export function endpointRecord(id: string): Endpoint {
  return {
    id,
    name: `Endpoint ${id} ü 鍵`,
    templateId: "template",
    type: "QUEUE",
    computeType: "GPU",
    gpuTypeIds: ["A", "B"],
    gpuCount: 1,
    workersMin: 0,
    workersMax: 3,
    idleTimeout: 5,
    scalerType: "QUEUE_DELAY",
    scalerValue: 4,
    executionTimeoutMs: 600_000,
    requestsPerWorker: 50,
    retries: DEFAULT_RETRY_RULES,
    version: 1,
    createdAt: "2026-01-01T00:00:00.000Z",
  };
}
