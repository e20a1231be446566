/** The clients of a fleet: each follows a job from its submission to the last look at its end. */
import { setTimeout as delay } from "node:timers/promises";
import { isTerminal, type JobStatus } from "../../../runtime/protocol/job-status.ts";
import type { Expectation } from "../crash/history-checker.ts";
import type { FleetClient, KnownJob } from "./fleet-client.ts";
import { readSome, type Reading } from "./read-stream.ts";

/** Above the size at which payloads are stored separately. */
const BALLAST = "x".repeat(300_000);
const CHUNKS = Array.from({ length: 12 }, (_, n) => `chunk ${n}`);
/** Jobs in a hundred of each kind; the others are plain. */
const SHARES = { streams: 15, sync: 12, fails: 7, waits: 7, dies: 2, heavy: 3 };

const ENDS: Readonly<Record<string, Expectation>> = {
  heavy: { statuses: ["COMPLETED"], output: { ballast: BALLAST } },
  streams: { statuses: ["COMPLETED"], chunks: CHUNKS },
  // A hand-over that a fault kept from its worker counts as the attempt that had to fail.
  fails: { statuses: ["FAILED", "COMPLETED"], afterRetry: "COMPLETED" },
};

/** Fate of the job with this marker. */
export function endOf(marker: string): Expectation {
  return ENDS[kindOf(marker)] ?? { statuses: ["COMPLETED"] };
}

export function kindOf(marker: string): string {
  return marker.split("-")[0] ?? "";
}

/** Where the job with this marker was submitted. */
export function endpointOf(marker: string): string {
  const [kind = "", letter = ""] = marker.split("-");
  return `${kind === "streams" ? "streams" : "jobs"}-${letter}`;
}

export interface LoadParts {
  readonly client: FleetClient;
  /** Part of every marker: no two clients have the same. */
  readonly name: string;
  /** One endpoint for each kind. */
  readonly letters: readonly string[];
  readonly webhook: string;
  /** Receives each job that the load has finished with. */
  readonly done: KnownJob[];
}

export class Load {
  readonly #parts: LoadParts;
  #submissions = 0;

  constructor(parts: LoadParts) {
    this.#parts = parts;
  }

  /** Runs one job after the other until `stop`, and finishes those it has begun. */
  async run(stop: AbortSignal): Promise<void> {
    const { client } = this.#parts;
    while (!stop.aborted && !client.isOver) {
      await this.#liveOne();
      await delay(client.random.integer(0, 60));
    }
  }

  async #liveOne(): Promise<void> {
    const { client, letters, webhook, done } = this.#parts;
    const { random } = client;
    const kind = this.#anyKind();
    const letter = letters[random.integer(0, letters.length - 1)] ?? "";
    const isTold = random.next() < 0.25;
    const job = await client.submit(
      kind === "sync" ? "runsync" : "run",
      endpointOf(`${kind}-${letter}`),
      isTold ? { webhook } : {},
      () => this.#input(kind, letter),
    );
    if (job === undefined) return;
    await client.look(job, "pin");
    const end = await this.#toItsEnd(job, kind);
    if (kind === "fails" && end === "FAILED") {
      await client.change(job, "retry");
      await this.#toItsEnd(job, kind);
    }
    await client.look(job);
    done.push(job);
  }

  /** Returns how it ended. */
  async #toItsEnd(job: KnownJob, kind: string): Promise<JobStatus | undefined> {
    const { client } = this.#parts;
    const { random } = client;
    let reading: Reading = { after: undefined };
    while (!client.isOver) {
      const chance = random.next();
      if (kind === "streams" && chance < 0.6) reading = await readSome(client, job, reading);
      const shown =
        chance < 0.5
          ? await client.look(job)
          : await client.look(job, "status-sync", random.integer(1_000, 4_000));
      if (shown === undefined || isTerminal(shown.status)) return shown?.status;
      if (kind === "waits" && (shown.status === "IN_PROGRESS" || chance < 0.2))
        await client.change(job, "cancel");
      await delay(random.integer(10, 150));
    }
    return undefined;
  }

  #input(kind: string, letter: string) {
    const { client, name } = this.#parts;
    this.#submissions += 1;
    const marker = `${kind}-${letter}-${name}-${this.#submissions}`;
    if (kind === "streams")
      return { marker, chunks: CHUNKS, pauseMs: client.random.integer(0, 60) };
    return {
      marker,
      workMs: client.random.integer(0, 60),
      ...(kind === "heavy" ? { ballast: BALLAST } : {}),
      ...(kind === "dies" || kind === "fails" || kind === "waits" ? { firstAttempt: kind } : {}),
    };
  }

  #anyKind(): string {
    let chance = this.#parts.client.random.integer(0, 99);
    for (const [kind, share] of Object.entries(SHARES)) {
      if (chance < share) return kind;
      chance -= share;
    }
    return "plain";
  }
}

/** Looks at jobs that have ended, again and again. */
export async function lookBack(
  client: FleetClient,
  done: readonly KnownJob[],
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted && !client.isOver) {
    const job = done[client.random.integer(0, done.length - 1)];
    if (job !== undefined)
      await client.look(job, client.random.next() < 0.8 ? "status" : "status-sync");
    await delay(client.random.integer(20, 80));
  }
}
