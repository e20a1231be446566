/** A client of a fleet: it asks any emulator, retries after refusals and broken connections, and records its answers. */
import { setTimeout as delay } from "node:timers/promises";
import type { JobStatus } from "../../../runtime/protocol/job-status.ts";
import { type History, monotonicUs } from "../crash/history.ts";
import { API_KEY } from "../crash/killable-emulator.ts";
import type { SeededRandom } from "../crash/seeded-random.ts";

/** Timeout: longer than the service waits for its database, and than any fault lasts. */
const PATIENCE_MS = 45_000;
/** Interval between two tries when the service names none. */
const PAUSE_MS = { min: 50, max: 250 };
const AVOIDED_MS = 500;
const RUNSYNC_MS = 20_000;
/** Time to live of jobs: they are looked at until the end of a run, and clocks leap further than the default. */
const TTL_MS = Number(process.env["CLUSTER_SECONDS"] ?? 1_800) * 1_000 + 900_000;

export interface FleetClientParts {
  readonly history: History;
  readonly urls: readonly string[];
  readonly random: SeededRandom;
  /** Ends all retries of requests. */
  readonly over: AbortSignal;
}

export interface Question {
  readonly operation: string;
  readonly method?: "GET" | "POST";
  /** Path from `/v2` on. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Time for which the service was asked to hold the answer back, ms. */
  readonly heldMs?: number;
}

/** An answer; undefined if the connection broke, or no answer came in time. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly askedAt: number;
}

/** One job, as a client knows it. */
export interface KnownJob {
  readonly jobId: string;
  readonly endpointId: string;
  readonly marker: string;
}

interface ShownJob {
  readonly id: string;
  readonly status: JobStatus;
  readonly output?: unknown;
}

export class FleetClient {
  readonly random: SeededRandom;
  readonly #history: History;
  readonly #urls: readonly string[];
  readonly #over: AbortSignal;
  /** The emulator that failed last, and the time until which others are asked. */
  #avoided = { seat: -1, until: 0 };

  constructor({ history, urls, random, over }: FleetClientParts) {
    this.random = random;
    this.#history = history;
    this.#urls = urls;
    this.#over = over;
  }

  get isOver(): boolean {
    return this.#over.aborted;
  }

  /**
   * Submits until a try is acknowledged; undefined if the run ended before. A try with an unknown outcome has its
   * own marker.
   * @param operation `runsync` waits a while for the job's end
   */
  async submit(
    operation: "run" | "runsync",
    endpointId: string,
    submission: { readonly webhook?: string },
    inputOf: () => { readonly marker: string },
  ): Promise<KnownJob | undefined> {
    const since = monotonicUs();
    for (let tries = 1; !this.isOver; tries += 1) {
      const input = inputOf();
      const { marker } = input;
      const query = operation === "runsync" ? `?wait=${RUNSYNC_MS}` : "";
      const answer = await this.ask({
        operation,
        method: "POST",
        path: `/v2/${endpointId}/${operation}${query}`,
        body: { ...submission, input },
        heldMs: operation === "runsync" ? RUNSYNC_MS : 0,
      });
      if (answer?.status === 200) {
        const shown = jobIn(answer);
        const jobId = shown.id;
        const webhook = submission.webhook !== undefined;
        this.#history.add({ type: "submitted", jobId, marker, webhook });
        if (operation === "run") this.#history.add({ type: "accepted", since, tries });
        else this.#note(shown, answer.askedAt);
        return { jobId, endpointId, marker };
      }
      const isRefused = answer !== undefined && answer.status < 500;
      this.#history.add({
        type: isRefused ? "submission-refused" : "submission-unanswered",
        marker,
      });
      await this.#pause(answer);
    }
    return undefined;
  }

  /** The job now, or after its end; undefined if the run was over before an answer. */
  async look(
    job: Pick<KnownJob, "jobId" | "endpointId">,
    how: "status" | "status-sync" | "pin" = "status",
    waitMs = 1_000,
  ): Promise<ShownJob | undefined> {
    const { endpointId, jobId } = job;
    const query = { status: "", "status-sync": `?wait=${waitMs}`, pin: `?ttl=${TTL_MS}` }[how];
    const operation = how === "pin" ? "status" : how;
    const path = `/v2/${endpointId}/${operation}/${jobId}${query}`;
    const heldMs = how === "status-sync" ? waitMs : 0;
    const answer = await this.insist({ operation, path, heldMs });
    if (answer === undefined) return undefined;
    const { askedAt, status } = answer;
    if (status === 404) this.#history.add({ type: "not-found", jobId });
    if (status !== 200) return undefined;
    const shown = jobIn(answer);
    this.#note(shown, askedAt);
    return shown;
  }

  /** Whether the job is cancelled or retried now; a refusal because of its status means no. */
  async change(job: KnownJob, what: "cancel" | "retry"): Promise<boolean> {
    const { endpointId, jobId } = job;
    const path = `/v2/${endpointId}/${what}/${jobId}`;
    const done = what === "cancel" ? "cancelled" : "retried";
    while (!this.isOver) {
      const askedAt = monotonicUs();
      const answer = await this.ask({ operation: what, method: "POST", path });
      if (answer?.status === 200) this.#history.add({ type: done, jobId, askedAt });
      if (answer?.status === 404) this.#history.add({ type: "not-found", jobId });
      if (answer !== undefined && answer.status < 500) return answer.status === 200;
      this.#history.add({ type: `${what}-unanswered`, jobId, askedAt });
      await this.#pause(answer);
    }
    return false;
  }

  /** One request to any emulator. */
  async ask(question: Question): Promise<Answer | undefined> {
    const { operation, heldMs = 0 } = question;
    const askedAt = monotonicUs();
    const seat = this.anySeat();
    const limit = AbortSignal.timeout(heldMs + PATIENCE_MS);
    try {
      const response = await this.open(seat, question, limit);
      const text = await response.text();
      const { status, headers } = response;
      if (status >= 500) this.#avoid(seat);
      const says = status === 500 || status === 400 ? { says: text } : {};
      this.note({ operation, seat, askedAt, end: "answered", status, ...says });
      return { status, headers, text, askedAt };
    } catch {
      this.#avoid(seat);
      this.note({ operation, seat, askedAt, end: limit.aborted ? "hung" : "broken" });
      return undefined;
    }
  }

  async open(seat: number, question: Question, signal: AbortSignal): Promise<Response> {
    const { method = "GET", path, body, headers } = question;
    return fetch(`${this.#urls[seat]}${path}`, {
      method,
      headers: { authorization: `Bearer ${API_KEY}`, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    });
  }

  note(request: {
    readonly operation: string;
    readonly seat: number;
    readonly askedAt: number;
    readonly end: "answered" | "broken" | "hung";
    readonly status?: number;
    readonly says?: string;
  }): void {
    this.#history.add({ type: "request", ...request });
  }

  get history(): History {
    return this.#history;
  }

  /** Picks an emulator that did not fail just now. */
  anySeat(): number {
    const { seat, until } = this.#avoided;
    const count = this.#urls.length;
    if (count === 1 || performance.now() > until) return this.random.integer(0, count - 1);
    return (seat + this.random.integer(1, count - 1)) % count;
  }

  #avoid(seat: number): void {
    this.#avoided = { seat, until: performance.now() + AVOIDED_MS };
  }

  /** Waits as long as a refusal asks for. */
  async #pause(answer: Answer | undefined): Promise<void> {
    const asked = Number(answer?.headers.get("retry-after") ?? 0) * 1_000;
    await delay(Math.max(asked, this.random.integer(PAUSE_MS.min, PAUSE_MS.max)));
  }

  /** Asks until an emulator knows the answer; undefined if the run was over before. */
  async insist(question: Question): Promise<Answer | undefined> {
    while (!this.isOver) {
      const answer = await this.ask(question);
      if (answer !== undefined && answer.status < 500 && answer.status !== 429) return answer;
      await this.#pause(answer);
    }
    return undefined;
  }

  #note({ id: jobId, status, output }: ShownJob, askedAt: number): void {
    this.#history.add({ type: "seen", jobId, status, output, askedAt });
  }
}

function jobIn({ text }: Answer): ShownJob {
  // The conformance suite holds all answers against the contract.
  return JSON.parse(text) as ShownJob;
}
