/** Reads stored data in every way, and compares it with the known facts. */
import { Buffer } from "node:buffer";
import { isTerminal } from "../../../../runtime/protocol/job-status.ts";
import type { Job } from "../../../../emulator/core/jobs/job.ts";
import { inspectJob } from "../../../../emulator/engine/jobs/read/inspect-jobs.ts";
import { findJobs } from "../../../../emulator/engine/jobs/read/find-jobs.ts";
import { viewJob } from "../../../../emulator/engine/jobs/read/job-view.ts";
import { wholePayload } from "../../../../emulator/engine/jobs/read/show-payload.ts";
import { followStream } from "../../../../emulator/engine/streams/read-stream.ts";
import { chunksShown } from "../../../../emulator/engine/streams/shown-batches.ts";
import { openSqliteStore } from "../../../../emulator/store/sqlite/sqlite-store.ts";
import { storeWith } from "../../engine/store-with.ts";
import { createTestEngine, type TestEngine } from "../../engine-harness.ts";
import { ENDPOINTS, type KnownJob } from "./live-data.ts";
import { LOOK_MS } from "../../../setup/patience.ts";

export interface ReadBack {
  /** Wrong data that was read without a report of damage. */
  readonly silent: readonly string[];
  /** Number of answers that reported damage. */
  readonly told: number;
}

type Answer<T> = { readonly value: T } | "damaged";

/** Opens the directory, waits for its check, and reads. Throws what the opening throws. */
export async function readBack(directory: string, known: readonly KnownJob[]): Promise<ReadBack> {
  const opened = await openSqliteStore({ directory });
  let checked: Promise<unknown> = Promise.resolve();
  const store = storeWith(opened, { check: () => (checked = opened.check()) });
  let test: TestEngine;
  try {
    test = await createTestEngine(store);
  } catch (error) {
    await opened.close();
    throw error;
  }
  try {
    await checked.catch(() => undefined);
    return await new Reading(test, known).all();
  } finally {
    await test.stop("kill");
  }
}

class Reading {
  readonly #test: TestEngine;
  readonly #known: readonly KnownJob[];
  readonly #silent: string[] = [];
  #told = 0;

  constructor(test: TestEngine, known: readonly KnownJob[]) {
    this.#test = test;
    this.#known = known;
  }

  async all(): Promise<ReadBack> {
    for (const job of this.#known) await this.#byId(job);
    for (const endpointId of ENDPOINTS) await this.#byList(endpointId);
    await this.#fromQueue();
    return { silent: this.#silent, told: this.#told };
  }

  async #byId(known: KnownJob): Promise<void> {
    const { id, endpointId } = known;
    const ref = { endpointId, jobId: id };
    const viewed = await this.#ask(() => viewJob(this.#test.engine, ref));
    if (viewed === "damaged") return;
    const { job, output } = viewed.value;
    const shown = output && Buffer.from(await wholePayload(output)).toString();
    const streamed = await this.#ask(() => this.#stream(job));
    if (streamed === "damaged") return;
    const inspected = await this.#ask(() => inspectJob(this.#test.engine, id));
    if (inspected === "damaged") return;
    const { input, output: other } = inspected.value;
    if (other) await wholePayload(other);
    const given = input && Buffer.from(await wholePayload(input)).toString();
    if (given !== known.input) this.#say(`${id} has another input`);
    const again = await this.#ask(() => inspectJob(this.#test.engine, id, true));
    if (again === "damaged" || again.value.job.failure?.type === "data_damaged") {
      this.#told += 1;
      return;
    }
    if (job.status !== known.status) this.#say(`${id} is ${job.status}, not ${known.status}`);
    if (shown !== known.output) this.#say(`${id} has another output`);
    const chunks = known.chunks.map((chunk) => JSON.parse(chunk) as unknown);
    if (JSON.stringify(streamed.value) !== JSON.stringify(chunks))
      this.#say(`${id} has other chunks`);
  }

  /** The outputs of all chunks. Empty if the job has not ended. */
  async #stream({ id, endpointId, status }: Job): Promise<unknown[]> {
    const outputs: unknown[] = [];
    if (!isTerminal(status)) return outputs;
    const { signal } = new AbortController();
    const events = followStream(this.#test.engine, { endpointId, jobId: id }, { from: 0, signal });
    for await (const event of events) {
      if (event.type === "end" && event.view.output) await wholePayload(event.view.output);
      if (event.type !== "chunks") continue;
      for await (const chunk of chunksShown(event.batch))
        outputs.push((JSON.parse(Buffer.from(chunk).toString()) as { output: unknown }).output);
    }
    return outputs;
  }

  async #byList(endpointId: string): Promise<void> {
    const listed = await this.#ask(() =>
      findJobs(this.#test.engine, { endpointId }, { limit: 10_000 }),
    );
    if (listed === "damaged") return;
    const statuses = new Map(listed.value.jobs.map((job) => [job.id, job]));
    for (const known of this.#known.filter((job) => job.endpointId === endpointId)) {
      const job = statuses.get(known.id);
      if (job?.failure?.type === "data_damaged") this.#told += 1;
      else if (job?.status !== known.status) this.#say(`${known.id} is listed as ${job?.status}`);
    }
    if (statuses.size > this.#known.filter((job) => job.endpointId === endpointId).length)
      this.#say(`${endpointId} has jobs that were never submitted`);
  }

  /** Hands all waiting jobs to a worker. */
  async #fromQueue(): Promise<void> {
    const waiting = this.#known.filter(({ status }) => status === "IN_QUEUE");
    const connected = await this.#ask(() =>
      this.#test.connectWorker(ENDPOINTS[1], { credit: waiting.length + 5 }),
    );
    if (connected === "damaged") return;
    const { orders } = connected.value;
    await this.#test.engine.pendingWork.settled(AbortSignal.timeout(LOOK_MS));
    // Inputs in files are read only after this.
    const handed = () => orders.flatMap(({ jobs = [] }) => jobs);
    for (const { id, input } of waiting) {
      for (let look = 0; ; look += 1) {
        const job = handed().find(({ jobId }) => jobId === id);
        if (job !== undefined) {
          if (Buffer.from(job.input).toString() !== input) this.#say(`${id} has another input`);
          break;
        }
        const viewed = await this.#ask(() => inspectJob(this.#test.engine, id, true));
        if (viewed === "damaged" || viewed.value.job.failure?.type === "data_damaged") break;
        if (look === 200) {
          this.#say(`${id} was not handed over, and is ${viewed.value.job.status}`);
          break;
        }
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
  }

  async #ask<T>(ask: () => Promise<T>): Promise<Answer<T>> {
    try {
      return { value: await ask() };
    } catch (error) {
      const refusal = this.#test.engine.steps.refusalFor(error);
      if (!(refusal instanceof Error) || !("code" in refusal)) throw error;
      if (refusal.code === "data_damaged") {
        this.#told += 1;
        return "damaged";
      }
      this.#say(refusal.message);
      return "damaged";
    }
  }

  #say(sentence: string): void {
    this.#silent.push(sentence);
  }
}
