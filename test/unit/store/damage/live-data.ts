/** Data of a service that was killed at work: jobs in all states, with all known facts about each. */
import { Buffer } from "node:buffer";
import fs from "node:fs";
import path from "node:path";
import { submit } from "../../../../emulator/engine/jobs/submit.ts";
import { openSqliteStore } from "../../../../emulator/store/sqlite/sqlite-store.ts";
import { writePrivateFile } from "../../../../emulator/sqlite/private-file.ts";
import type { JobStatus } from "../../../../runtime/protocol/job-status.ts";
import { createTestEngine, type TestEngine } from "../../engine-harness.ts";

export const ENDPOINTS = ["echo", "other"] as const;

/** Acknowledged facts of a job. */
export interface KnownJob {
  readonly id: string;
  readonly endpointId: string;
  readonly status: JobStatus;
  readonly input: string;
  readonly output: string | undefined;
  readonly chunks: readonly string[];
}

const POLICY = { ttlMs: 604_800_000, lowPriority: false };

/** A JSON text of about this size, different from all others. */
function text(name: string, sizeBytes: number): string {
  return JSON.stringify(`${name} ${"abcdefghij".repeat(Math.ceil(sizeBytes / 10))}`);
}

async function addJob(test: TestEngine, endpointId: string, input: string, webhook?: string) {
  const submission = { input: Buffer.from(input), policy: POLICY, ...(webhook && { webhook }) };
  const { id } = await submit(test.engine, { endpointId, kind: "async", submission });
  return { id, endpointId, input };
}

/** Runs jobs to their ends, one after the other. */
async function runJobs(test: TestEngine, count: number, sizeBytes: number): Promise<KnownJob[]> {
  const known: KnownJob[] = [];
  const worker = await test.connectWorker("echo", { credit: 1 });
  for (let at = 0; at < count; at += 1) {
    const isLarge = at % 7 === 6;
    const webhook = at % 3 === 0 ? "http://127.0.0.1:9/hook" : undefined;
    const input = text(`in ${at}`, isLarge ? 300_000 : sizeBytes);
    const job = await addJob(test, "echo", input, webhook);
    const handed = await worker.nextJob();
    const chunks = at % 4 === 1 ? [text(`chunk ${at}`, isLarge ? 300_000 : 40), '"last"'] : [];
    if (chunks.length > 0)
      await worker.chunks(
        handed,
        chunks.map((chunk): unknown => JSON.parse(chunk)),
      );
    const output = text(`out ${at}`, at % 5 === 4 ? 400_000 : sizeBytes);
    const hasFailed = at % 6 === 5;
    if (hasFailed) await worker.fail(handed);
    else await worker.complete(handed, Buffer.from(output));
    await worker.grant();
    known.push({
      ...{ ...job, chunks, status: hasFailed ? "FAILED" : "COMPLETED" },
      output: hasFailed ? undefined : output,
    });
  }
  return known;
}

/**
 * Writes a data set into `directory`.
 * @param rounds how much is in it: with 1 all is in the log still, with many the database has most
 * @param isStopped whether the service stopped in order; else it was killed among the waiting jobs
 */
export async function writeLiveData(
  directory: string,
  { rounds, isStopped = false }: { readonly rounds: number; readonly isStopped?: boolean },
): Promise<KnownJob[]> {
  const live = `${directory}.live`;
  const test = await createTestEngine(await openSqliteStore({ directory: live }));
  await test.addEndpoint("other");
  writePrivateFile(path.join(live, "secret.key"), `${"A".repeat(43)}=\n`);
  const known = await runJobs(test, 14 * rounds, rounds > 1 ? 20_000 : 200);
  for (let at = 0; at < 12; at += 1) {
    const endpointId = ENDPOINTS[1];
    const job = await addJob(test, endpointId, text(`wait ${at}`, at % 4 === 3 ? 300_000 : 300));
    known.push({ ...job, status: "IN_QUEUE", output: undefined, chunks: [] });
  }
  if (isStopped) await test.stop("kill");
  fs.cpSync(live, directory, { recursive: true });
  if (!isStopped) await test.stop("kill");
  fs.rmSync(live, { recursive: true });
  return known;
}
