/** The operations of the service that commands call, with the service's own schemas of their answers. */
import { z } from "zod";
import type { Answers } from "../../../runtime/protocol/generated/answers.ts";
import { auditSchema, keysSchema, madeKeySchema } from "../../http/schemas/access.ts";
import { advancedClockSchema, clockSchema, heldClockSchema } from "../../http/schemas/clock.ts";
import {
  deliveriesSchema,
  deliverySchema,
  deliveryWithRequestSchema,
} from "../../http/schemas/delivery.ts";
import { endpointSchema } from "../../http/schemas/endpoint.ts";
import {
  deletedJobsSchema,
  healthSchema,
  jobDetailsSchema,
  jobSchema,
  jobStateSchema,
  jobSummariesSchema,
  purgedSchema,
} from "../../http/schemas/job.ts";
import { networkVolumeSchema } from "../../http/schemas/network-volume.ts";
import { replicasSchema } from "../../http/schemas/replicas.ts";
import { templateSchema } from "../../http/schemas/template.ts";

/** Schemas of small answers that only these commands read. */
const TICKET = z.looseObject({ ticket: z.string() });
const READY = z.looseObject({ ready: z.literal(true) });
const ORIGINS = z.looseObject({ endpoints: z.array(z.unknown()), templates: z.array(z.unknown()) });
const NAMED = z.looseObject({ id: z.string(), name: z.string() });

/** Method, path and schema of the answer. A stream, and an answer without a body, have no schema. */
export const OPERATIONS = {
  run: ["POST", "/v2/:endpointId/run", jobStateSchema],
  runsync: ["POST", "/v2/:endpointId/runsync", jobSchema],
  statusSync: ["GET", "/v2/:endpointId/status-sync/:jobId", jobSchema],
  cancel: ["POST", "/v2/:endpointId/cancel/:jobId", jobStateSchema],
  retry: ["POST", "/v2/:endpointId/retry/:jobId", jobStateSchema],
  purgeQueue: ["POST", "/v2/:endpointId/purge-queue", purgedSchema],
  health: ["GET", "/v2/:endpointId/health", healthSchema],
  listTemplates: ["GET", "/v1/templates", z.array(templateSchema)],
  listRegistryAuths: ["GET", "/v1/containerregistryauth", z.array(NAMED)],
  listEndpoints: ["GET", "/v1/endpoints", z.array(endpointSchema)],
  listNetworkVolumes: ["GET", "/v1/networkvolumes", z.array(networkVolumeSchema)],
  listDeliveries: ["GET", "/emulator/webhooks", deliveriesSchema],
  readDelivery: ["GET", "/emulator/webhooks/:deliveryId", deliveryWithRequestSchema],
  redeliver: ["POST", "/emulator/webhooks/:deliveryId/redeliver", deliverySchema],
  readClock: ["GET", "/emulator/clock", clockSchema],
  advanceClock: ["POST", "/emulator/clock", advancedClockSchema],
  holdDeletions: ["POST", "/emulator/clock/hold", heldClockSchema],
  createKey: ["POST", "/emulator/keys", madeKeySchema],
  listKeys: ["GET", "/emulator/keys", keysSchema],
  revokeKey: ["DELETE", "/emulator/keys/:keyId", undefined],
  readAudit: ["GET", "/emulator/audit", auditSchema],
  readOrigins: ["GET", "/emulator/origins", ORIGINS],
  listJobs: ["GET", "/emulator/jobs", jobSummariesSchema],
  listDeletedJobs: ["GET", "/emulator/jobs/deleted", deletedJobsSchema],
  readJob: ["GET", "/emulator/jobs/:jobId", jobDetailsSchema],
  listReplicas: ["GET", "/emulator/replicas", replicasSchema],
  logs: ["GET", "/emulator/logs", undefined],
  isReady: ["GET", "/readyz", READY],
  issueTicket: ["POST", "/emulator/tickets", TICKET],
} as const;

export type OperationName = keyof typeof OPERATIONS;

export type AnswerOf<Name extends OperationName> = Name extends keyof Answers
  ? Answers[Name]
  : undefined;

type NamesIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** The parameters of the operation's path, and any of its query; one that is undefined is left out. */
export type ParametersOf<Name extends OperationName> = Readonly<
  Record<NamesIn<(typeof OPERATIONS)[Name][1]>, string>
> &
  Readonly<Record<string, string | undefined>>;

/** The path of the operation with its parameters filled in, and the other ones as its query. */
export function pathOf<Name extends OperationName>(
  name: Name,
  parameters: ParametersOf<Name>,
): string {
  const query = new URLSearchParams();
  const [, template] = OPERATIONS[name];
  for (const [key, value] of Object.entries(parameters)) {
    if (value !== undefined && !template.split("/").includes(`:${key}`)) query.set(key, value);
  }
  const path = template.replaceAll(/:(\w+)/gu, (_, key: string) =>
    encodeURIComponent(parameters[key] ?? ""),
  );
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
