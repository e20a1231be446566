/** The messages of `worker.proto`, which says what their fields mean: the number and the type of each field. */
import {
  bytes,
  flag,
  int32,
  list,
  message,
  type MessageOf,
  text,
  uint32,
  uint64,
} from "./codec.ts";

const ofLease = { jobId: [1, text], leaseToken: [2, text] } as const;

export const LeaseRef = message(ofLease);

export const Piece = message({ left: [1, uint32], data: [2, bytes] });

export const Failure = message({
  type: [1, text],
  message: [2, text],
  stack: [3, text],
  exitCode: [4, int32],
  signal: [5, text],
  outOfMemory: [6, flag],
  lastLogLines: [7, list(text)],
});

export const Hello = message({
  protocolVersion: [1, uint32],
  runtimeVersion: [2, text],
  held: [3, list(LeaseRef)],
});

export const Ready = message({ concurrency: [1, uint32], reloadVersion: [2, uint32] });

export const InitFailure = message({ failure: [1, Failure] });

export const Chunks = message({
  ...ofLease,
  firstIndex: [3, uint32],
  count: [4, uint32],
  lines: [5, bytes],
});

export const Progress = message({ ...ofLease, value: [3, bytes] });

export const Pause = message({ ...ofLease, isPaused: [3, flag], pausedMs: [4, uint64] });

export const Outcome = message({
  ...ofLease,
  kind: [3, int32],
  output: [4, bytes],
  failure: [5, Failure],
});

export const WorkerMessage = message({
  hello: [1, Hello],
  ready: [2, Ready],
  initFailure: [3, InitFailure],
  renewals: [4, list(LeaseRef)],
  chunks: [5, list(Chunks)],
  progress: [6, list(Progress)],
  outcomes: [7, list(Outcome)],
  draining: [8, flag],
  credit: [9, uint32],
  pauses: [10, list(Pause)],
  schemas: [11, bytes],
  piece: [12, Piece],
  piecesTaken: [13, uint32],
});

export const Welcome = message({
  workerId: [1, text],
  endpointId: [2, text],
  leaseMs: [3, uint32],
  leaseRenewalMs: [4, uint32],
});

export const Reload = message({
  version: [1, uint32],
  modulePath: [2, text],
  sourcePath: [3, text],
});

export const InputAhead = message({ jobId: [1, text], input: [2, bytes] });

export const Job = message({
  ...ofLease,
  attempt: [3, uint32],
  input: [4, bytes],
  executionTimeoutMs: [5, uint64],
  s3Config: [6, bytes],
  traceparent: [7, text],
  inputIsAhead: [8, flag],
});

export const Revocation = message({ ...ofLease, reason: [3, text] });

export const OutcomeReceipt = message({ ...ofLease, accepted: [3, flag] });

export const ChunkReceipt = message({ ...ofLease, nextIndex: [3, uint32] });

export const ServiceMessage = message({
  welcome: [1, Welcome],
  jobs: [2, list(Job)],
  revocations: [3, list(Revocation)],
  outcomeReceipts: [4, list(OutcomeReceipt)],
  chunkReceipts: [5, list(ChunkReceipt)],
  drain: [6, flag],
  reload: [7, Reload],
  redirect: [8, text],
  piece: [9, Piece],
  piecesTaken: [10, uint32],
  inputAhead: [11, InputAhead],
});

export type LeaseRef = MessageOf<typeof LeaseRef>;
export type Piece = MessageOf<typeof Piece>;
export type Failure = MessageOf<typeof Failure>;
export type Hello = MessageOf<typeof Hello>;
export type Ready = MessageOf<typeof Ready>;
export type InitFailure = MessageOf<typeof InitFailure>;
export type Chunks = MessageOf<typeof Chunks>;
export type Progress = MessageOf<typeof Progress>;
export type Pause = MessageOf<typeof Pause>;
export type Outcome = MessageOf<typeof Outcome>;
export type WorkerMessage = MessageOf<typeof WorkerMessage>;
export type Welcome = MessageOf<typeof Welcome>;
export type Reload = MessageOf<typeof Reload>;
export type InputAhead = MessageOf<typeof InputAhead>;
export type Job = MessageOf<typeof Job>;
export type Revocation = MessageOf<typeof Revocation>;
export type OutcomeReceipt = MessageOf<typeof OutcomeReceipt>;
export type ChunkReceipt = MessageOf<typeof ChunkReceipt>;
export type ServiceMessage = MessageOf<typeof ServiceMessage>;
