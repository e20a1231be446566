/** Converts the service's messages of one turn to protobuf and back. */
import type * as proto from "./messages.ts";
import type { HandedJob, Revocation, RevocationReason } from "../outcome.ts";
import type {
  ChunkReceipt,
  InputAhead,
  OutcomeReceipt,
  Reload,
  ServiceOrders,
  Welcome,
} from "../session.ts";
import { WireError } from "./wire-error.ts";
import { requiredBytes, requiredCount, requiredLease, requiredText } from "./wire-fields.ts";

const revocationReasons = [
  "cancelled",
  "timed-out",
  "expired",
  "lease-lost",
  "taken-back",
] as const satisfies readonly RevocationReason[];

/** The message for `orders`. Fields that are not in the protocol are left out. */
export function encodeOrders(orders: ServiceOrders): proto.ServiceMessage {
  return {
    welcome: orders.welcome,
    jobs: [...(orders.jobs ?? [])],
    revocations: [...(orders.revocations ?? [])],
    outcomeReceipts: [...(orders.outcomeReceipts ?? [])],
    chunkReceipts: [...(orders.chunkReceipts ?? [])],
    drain: orders.drain === true ? true : undefined,
    reload: orders.reload,
    redirect: orders.redirect,
    inputAhead: orders.inputAhead,
  };
}

/** @throws WireError if a required field is missing, or a value is unknown */
export function decodeOrders(message: proto.ServiceMessage): ServiceOrders {
  const { welcome, jobs, revocations, outcomeReceipts, chunkReceipts, drain } = message;
  const { reload, redirect, inputAhead } = message;
  return {
    ...(welcome === undefined ? undefined : { welcome: decodeWelcome(welcome) }),
    ...(jobs.length === 0 ? undefined : { jobs: jobs.map(decodeJob) }),
    ...(revocations.length === 0 ? undefined : { revocations: revocations.map(decodeRevocation) }),
    ...(outcomeReceipts.length === 0
      ? undefined
      : { outcomeReceipts: outcomeReceipts.map(decodeOutcomeReceipt) }),
    ...(chunkReceipts.length === 0
      ? undefined
      : { chunkReceipts: chunkReceipts.map(decodeChunkReceipt) }),
    ...(drain === true ? { drain } : undefined),
    ...(reload === undefined ? undefined : { reload: decodeReload(reload) }),
    ...(redirect === undefined ? undefined : { redirect }),
    ...(inputAhead === undefined ? undefined : { inputAhead: decodeInputAhead(inputAhead) }),
  };
}

function decodeWelcome(message: proto.Welcome): Welcome {
  return {
    workerId: requiredText(message.workerId, "Welcome.worker_id"),
    endpointId: requiredText(message.endpointId, "Welcome.endpoint_id"),
    leaseMs: requiredCount(message.leaseMs, "Welcome.lease_ms"),
    leaseRenewalMs: requiredCount(message.leaseRenewalMs, "Welcome.lease_renewal_ms"),
  };
}

function decodeReload(message: proto.Reload): Reload {
  return {
    version: requiredCount(message.version, "Reload.version"),
    modulePath: requiredText(message.modulePath, "Reload.module_path"),
    sourcePath: requiredText(message.sourcePath, "Reload.source_path"),
  };
}

function decodeJob(message: proto.Job): HandedJob {
  return {
    ...requiredLease(message, "Job"),
    attempt: requiredCount(message.attempt, "Job.attempt"),
    ...(message.inputIsAhead === true
      ? { input: new Uint8Array(), inputIsAhead: true }
      : { input: requiredBytes(message.input, "Job.input") }),
    executionTimeoutMs: requiredCount(message.executionTimeoutMs, "Job.execution_timeout_ms"),
    ...(message.s3Config === undefined
      ? undefined
      : { s3Config: requiredBytes(message.s3Config, "Job.s3_config") }),
    ...(message.traceparent === undefined ? undefined : { traceparent: message.traceparent }),
  };
}

function decodeInputAhead({ jobId, input }: proto.InputAhead): InputAhead {
  return {
    jobId: requiredText(jobId, "InputAhead.job_id"),
    input: requiredBytes(input, "InputAhead.input"),
  };
}

function decodeRevocation(message: proto.Revocation): Revocation {
  const text = requiredText(message.reason, "Revocation.reason");
  const reason = revocationReasons.find((known) => known === text);
  if (reason === undefined) {
    throw new WireError("Revocation.reason", `is "${text}", which this version does not know`);
  }
  return { ...requiredLease(message, "Revocation"), reason };
}

function decodeOutcomeReceipt(message: proto.OutcomeReceipt): OutcomeReceipt {
  return { ...requiredLease(message, "OutcomeReceipt"), accepted: message.accepted ?? false };
}

function decodeChunkReceipt(message: proto.ChunkReceipt): ChunkReceipt {
  return { ...requiredLease(message, "ChunkReceipt"), nextIndex: message.nextIndex ?? 0 };
}
