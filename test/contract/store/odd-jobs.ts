/** Jobs and ids that a store could easily damage. */
import type { Job } from "../../../emulator/core/jobs/job.ts";
import type { Failure } from "../../../runtime/protocol/failure.ts";
import { NOW } from "./subject.ts";

export const FAILURE: Failure = {
  type: "process_exited",
  message: 'the handler process was ended by SIGKILL: "\u0000 \u{1F600} \ud800"',
  workerId: "worker-1",
  signal: "SIGKILL",
  outOfMemory: true,
  lastLogLines: ["erste Zeile ä", "", "третья"],
};

/** Values of all fields that never change, each different from a new job's; without keys. */
export const FIXED = {
  endpointId: "another",
  submittedAt: NOW - 1,
  kind: "sync",
  executionTimeoutMs: 1,
  lowPriority: true,
  webhook: "https://example.test/hook?a=1&b=ü",
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  dialect: "live",
  retentionMs: 2,
} as const satisfies Partial<Job>;

/** Values of all fields that change, each different from a new job's. */
export function fullJob(job: Job): Job {
  return {
    ...job,
    status: "FAILED",
    queueKey: job.seq + 7,
    queuedAt: NOW + 1,
    startedAt: NOW + 2,
    endedAt: NOW + 3,
    delayTimeMs: 0,
    executionTimeMs: 4,
    ttlAt: NOW + 5,
    ttlPinned: true,
    attempt: 3,
    lostCount: 1,
    errorCount: 2,
    retries: 4,
    lease: { token: "token", workerId: "worker-2", expiresAt: NOW + 6, overrunAt: NOW + 7 },
    workerId: "worker-1",
    failure: FAILURE,
    chunkCount: 11,
    chunksRead: 5,
    version: 7,
    workerStart: { workerStartedAt: NOW, pulledAt: NOW + 1, bootedAt: NOW + 1, readyAt: NOW + 2 },
    earlierAttempts: [
      { number: 1, outcome: "handed_back", queuedAt: NOW, startedAt: NOW, endedAt: NOW + 1 },
      {
        ...{ number: 2, outcome: "out_of_memory", workerId: "worker-3", version: 6 },
        ...{ queuedAt: NOW + 1, startedAt: NOW + 1, endedAt: NOW + 2, failure: FAILURE },
      },
    ],
  };
}

export const ODD_IDS = [
  "",
  " ",
  "sync-0190a5d8-e1",
  "'; DROP TABLE job; --",
  "ключ-鍵-🔑",
  "e\u0301",
  "\u00e9",
  "%_*?",
  "__proto__",
  "1",
  "01",
  "1.0",
  "x".repeat(10_000),
];
