/**
 * A thread with workers that all send a large output at once for each of their jobs, until all jobs are done.
 * Posts the number of accepted outputs.
 */
import { Buffer } from "node:buffer";
import { parentPort, workerData } from "node:worker_threads";
import type { HandedJob } from "../../../../runtime/protocol/outcome.ts";
import { ServiceJobSource } from "../../../../runtime/source/service-job-source.ts";

interface Asked {
  readonly address: string;
  readonly token: string;
  readonly workers: number;
  readonly jobs: number;
  readonly outputBytes: number;
}

const { address, token, workers, jobs, outputBytes } = workerData as Asked;
const output = Buffer.from(JSON.stringify("0123456789".repeat(outputBytes / 10)));
const held: (() => Promise<void>)[] = [];
let left = jobs;
let accepted = 0;

async function finish(source: ServiceJobSource, job: HandedJob): Promise<void> {
  const receipt = await source.finish(job, { kind: "completed", output });
  accepted += receipt.accepted && job.attempt === 1 ? 1 : 0;
  source.grant(1);
  left -= 1;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- it is no window's
  if (left === 0) parentPort?.postMessage(accepted);
}

for (let at = 0; at < workers; at += 1) {
  const source = new ServiceJobSource({ address, token, runtimeVersion: "test" });
  void source.connect({
    job: (job) => {
      held.push(() => finish(source, job));
      // The first output leaves when every worker has a job.
      const isTime = held.length === workers || left < jobs;
      if (isTime) for (const send of held.splice(0)) void send();
    },
    revoked: () => undefined,
    chunksStored: () => undefined,
    drain: () => undefined,
    reload: () => undefined,
    refused: (reason) => {
      throw new Error(reason);
    },
  });
  source.ready(1);
  source.grant(1);
}
