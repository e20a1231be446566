/** Converts a worker's messages of one turn to protobuf and back. */
import type * as proto from "./messages.ts";
import type {
  ChunkReport,
  HandlerReady,
  Hello,
  PauseReport,
  ProgressReport,
  WorkerReport,
} from "../session.ts";
import {
  required,
  requiredBytes,
  requiredCount,
  requiredLease,
  requiredText,
} from "./wire-fields.ts";
import { decodeFailure, decodeOutcome, encodeFailure, encodeOutcome } from "./wire-outcome.ts";

/** The message for `report`. Fields that are not in the protocol are left out. */
export function encodeReport(report: WorkerReport): proto.WorkerMessage {
  return {
    hello: report.hello && { ...report.hello, held: [...report.hello.held] },
    ready: report.ready,
    initFailure: report.initFailure && { failure: encodeFailure(report.initFailure) },
    renewals: [...(report.renewals ?? [])],
    chunks: [...(report.chunks ?? [])],
    progress: [...(report.progress ?? [])],
    outcomes: report.outcomes?.map(encodeOutcome) ?? [],
    draining: report.draining === true ? true : undefined,
    credit: report.credit === 0 ? undefined : report.credit,
    pauses: [...(report.pauses ?? [])],
    schemas: report.schemas,
  };
}

/** @throws WireError if a required field is missing, or a value is unknown */
export function decodeReport(message: proto.WorkerMessage): WorkerReport {
  const { hello, ready, initFailure, renewals, chunks, progress, outcomes } = message;
  const { draining, credit, pauses, schemas } = message;
  return {
    ...(hello === undefined ? undefined : { hello: decodeHello(hello) }),
    ...(ready === undefined ? undefined : { ready: decodeReady(ready) }),
    ...(initFailure === undefined
      ? undefined
      : { initFailure: decodeFailure(required(initFailure.failure, "InitFailure.failure")) }),
    ...(renewals.length === 0
      ? undefined
      : { renewals: renewals.map((lease) => requiredLease(lease, "LeaseRef")) }),
    ...(chunks.length === 0 ? undefined : { chunks: chunks.map(decodeChunks) }),
    ...(progress.length === 0 ? undefined : { progress: progress.map(decodeProgress) }),
    ...(outcomes.length === 0 ? undefined : { outcomes: outcomes.map(decodeOutcome) }),
    ...(draining === true ? { draining } : undefined),
    ...(credit === undefined || credit === 0 ? undefined : { credit }),
    ...(pauses.length === 0 ? undefined : { pauses: pauses.map(decodePause) }),
    ...(schemas === undefined ? undefined : { schemas }),
  };
}

function decodeHello(message: proto.Hello): Hello {
  return {
    protocolVersion: requiredCount(message.protocolVersion, "Hello.protocol_version"),
    runtimeVersion: requiredText(message.runtimeVersion, "Hello.runtime_version"),
    held: message.held.map((lease) => requiredLease(lease, "LeaseRef")),
  };
}

function decodeReady({ concurrency, reloadVersion }: proto.Ready): HandlerReady {
  return {
    concurrency: requiredCount(concurrency, "Ready.concurrency"),
    ...(reloadVersion ? { reloadVersion } : undefined),
  };
}

function decodeChunks(message: proto.Chunks): ChunkReport {
  return {
    ...requiredLease(message, "Chunks"),
    firstIndex: message.firstIndex ?? 0,
    count: requiredCount(message.count, "Chunks.count"),
    lines: requiredBytes(message.lines, "Chunks.lines"),
  };
}

function decodeProgress(message: proto.Progress): ProgressReport {
  return {
    ...requiredLease(message, "Progress"),
    value: requiredBytes(message.value, "Progress.value"),
  };
}

function decodePause(message: proto.Pause): PauseReport {
  return {
    ...requiredLease(message, "Pause"),
    isPaused: message.isPaused ?? false,
    pausedMs: message.pausedMs ?? 0,
  };
}
