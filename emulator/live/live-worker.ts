/** One worker that speaks the live dialect: a session with the engine on one side, polls and posts on the other. */
import type { Failure } from "../../runtime/protocol/failure.ts";
import { LIMITS } from "../../runtime/protocol/limits.ts";
import type { HandedJob, Outcome, Revocation } from "../../runtime/protocol/outcome.ts";
import { PROTOCOL_VERSION, type ServiceOrders } from "../../runtime/protocol/session.ts";
import type { Uses } from "../engine/context.ts";
import type { WorkerHandle } from "../engine/workers/worker-handle.ts";
import { lostFailure } from "../engine/workers/worker-exit.ts";
import type { OpenSession, WorkerSession } from "../engine/workers/worker-session.ts";
import { PollerDetector } from "./poller-detector.ts";
import { chunkLines } from "./chunk-lines.ts";
import { type HeldJob, HeldJobs } from "./held-jobs.ts";
import { JobPoll } from "./job-poll.ts";
import { OddPings } from "./odd-pings.ts";
import { StopWatch } from "./stop-watch.ts";
import { StopNews } from "./stop-news.ts";

/** How long a worker that was told to leave is held: it must not ask again and again, nor be kept from leaving. */
const LEAVING_HOLD_MS = 1_000;

/** What a worker says when it asks for jobs. */
export interface JobRequest {
  /** How many it would take. */
  readonly count: number;
  /** It says that it works on none. */
  readonly isIdle?: boolean;
}

const SAYS_IDLE =
  "asks for jobs and says that it has none: those it was handed did not reach it, were refused, or their results were lost";

type LiveWorkerUses = Uses<"log" | "mover" | "realClock" | "steps">;

export class LiveWorker {
  readonly worker: WorkerHandle;
  readonly #engine: LiveWorkerUses;
  readonly #session: WorkerSession;
  readonly #held = new HeldJobs();
  readonly #stops = new StopNews();
  readonly #heed: StopWatch;
  readonly #askers: PollerDetector;
  readonly #oddPings: OddPings;
  /** Its pings name its jobs: one that they leave out is none. */
  #namesJobs = false;
  #greeting: Promise<void> | undefined;
  #take: JobPoll | undefined;

  constructor(engine: LiveWorkerUses, worker: WorkerHandle, openSession: OpenSession) {
    this.worker = worker;
    this.#engine = engine;
    this.#session = openSession(worker, (orders) => this.#obey(orders));
    this.#heed = new StopWatch(engine.realClock, () => this.#isStuck());
    this.#askers = new PollerDetector(engine.realClock, () => this.#warnOfSeveral());
    this.#oddPings = new OddPings(engine, worker);
    worker.gone.addEventListener("abort", () => {
      this.#heed.settle();
      this.#hangUp();
    });
  }

  /**
   * Up to `count` jobs as soon as there are any; none when there were none for a while, `signal` fired, or the worker is
   * to leave. A worker asks once at a time: asking again ends what it asked before, and what had come for that is not
   * answered any more. What comes must be handed back if the answer cannot be sent.
   *
   * @throws ServiceError storage_full, shutting_down
   */
  async take(
    { count, isIdle = false }: JobRequest,
    signal: AbortSignal,
  ): Promise<readonly HandedJob[]> {
    const { worker } = this;
    this.#breakOff();
    this.#heed.settle();
    this.#oddPings.asks();
    const asked = this.#askers.begin();
    const missing = isIdle && !this.#askers.several ? this.#held.all() : [];
    // While it waits for an answer it has nothing to say.
    using _ = this.#engine.mover.receive(this.worker);
    await this.#greet();
    if (missing.length > 0) await this.#lose(missing);
    if (worker.state !== "ready") await this.#session.receive({ ready: { concurrency: count } });
    // Another poll may have begun meanwhile.
    this.#breakOff();
    const poll = new JobPoll({
      ...this.#pollOptions(signal),
      count,
      underWay: () => worker.unsentCount,
      onEnd: () => {
        this.#take = undefined;
        this.#session.withdrawCredit();
      },
    });
    if (poll.isOver) return [];
    this.#take = poll;
    try {
      await this.#session.grant(count);
    } catch (error) {
      poll.end();
      await this.handBack(await poll.ended);
      throw error;
    }
    const jobs = await poll.ended;
    if (jobs.length === 0) await this.#askers.calm(asked, signal);
    return jobs;
  }

  /** Puts jobs back into the queue, at no cost, that never reached the worker. Never rejects. */
  async handBack(jobs: readonly HandedJob[]): Promise<void> {
    const lost = jobs.filter((job) => this.#held.drop(job));
    if (lost.length > 0) await this.#giveUp(lost);
  }

  /**
   * Ids of jobs the worker is to stop, as soon as there are any; none after a while. What comes must be said again by
   * `sayAgain` if the answer cannot be sent.
   */
  async jobsToStop(signal: AbortSignal): Promise<readonly string[]> {
    this.#stops.end();
    // While it waits for an answer it has nothing to say.
    using _ = this.#engine.mover.receive(this.worker);
    await this.#greet();
    return await this.#stops.ask(this.#pollOptions(signal));
  }

  /** The worker was not told to stop these jobs. */
  sayAgain(jobIds: readonly string[]): void {
    this.#stops.add(...jobIds);
  }

  /** Ends the job if the worker still holds it; settles when that is durable. @throws ServiceError storage_full, shutting_down */
  async finish(jobId: string, outcome: Outcome): Promise<void> {
    const held = this.#held.find(jobId);
    // It is over whatever it was: there is nothing left to stop.
    this.#stops.forget(jobId);
    if (!held) return this.#isHeard();
    const { lease } = held;
    await held.inOrder(() => this.#session.receive({ outcomes: [{ ...lease, outcome }] }));
    this.#held.drop(lease);
  }

  /** Keeps a progress value of a job the worker still holds. @throws ServiceError storage_full, shutting_down */
  async progress(jobId: string, value: Uint8Array): Promise<void> {
    const held = this.#held.find(jobId);
    if (!held) return this.#isHeard();
    await this.#session.receive({ progress: [{ ...held.lease, value }] });
  }

  /**
   * Appends a yield to the stream of a job the worker still holds; settles when it is durable.
   *
   * @param output raw JSON
   * @throws ServiceError invalid_request for a yield that cannot be split into chunks; storage_full, shutting_down
   */
  async stream(jobId: string, output: Uint8Array): Promise<void> {
    const held = this.#held.find(jobId);
    if (!held) return this.#isHeard();
    await held.inOrder(async () => {
      const { lease, attempt, nextChunk: firstIndex } = held;
      const { count, lines } = chunkLines(output, firstIndex, attempt);
      await this.#session.receive({ chunks: [{ ...lease, firstIndex, count, lines }] });
      held.nextChunk += count;
    });
  }

  /** The worker is there, and works on these jobs; one that has never named any, on all it holds. @throws ServiceError storage_full, shutting_down */
  async ping(jobIds: readonly string[]): Promise<void> {
    await this.#greet();
    if (jobIds.length > 0) this.#namesJobs = true;
    const held = this.#namesJobs ? jobIds.map((jobId) => this.#held.find(jobId)) : this.#held.all();
    const renewals = held.flatMap((job) => job?.lease ?? []);
    await this.#session.receive({ renewals });
    await this.#oddPings.look(jobIds, { isAsking: this.#take !== undefined });
  }

  /** The worker can take no jobs. */
  async cannotWork(failure: Failure): Promise<void> {
    await this.#greet();
    await this.#session.receive({ initFailure: failure });
  }

  /** The worker wants another in its place, which only those can have that the service started. */
  replace(): void {
    const { id: workerId, endpointId, isExternal } = this.worker;
    if (!isExternal) return this.#session.retire();
    const message = "a worker that came by itself asks to be replaced; it is to restart by itself";
    this.#engine.log.info({ workerId, endpointId }, message);
  }

  /** Once; a greeting that failed is repeated with the next request. */
  #greet(): Promise<void> {
    const hello = { protocolVersion: PROTOCOL_VERSION, runtimeVersion: "", held: [] };
    this.#greeting ??= this.#session.receive({ hello }).catch((error: unknown) => {
      this.#greeting = undefined;
      throw error;
    });
    return this.#greeting;
  }

  async #isHeard(): Promise<void> {
    await this.#session.receive({});
  }

  #pollOptions(signal: AbortSignal) {
    const isLeaving = this.worker.life.drainingSince !== undefined;
    const holdMs = isLeaving ? LEAVING_HOLD_MS : LIMITS.livePollMs;
    return { clock: this.#engine.realClock, holdMs, signal };
  }

  #obey({ jobs = [], revocations = [], drain }: ServiceOrders): void {
    for (const job of jobs) this.#arrive(job);
    for (const revocation of revocations) this.#revoke(revocation);
    if (drain) this.#hangUp();
  }

  #arrive(job: HandedJob): void {
    // The worker waits no more: it was on its way when the poll ended.
    if (!this.#take) return void this.#giveUp([job]);
    this.#stops.forget(job.jobId);
    this.#held.add(job);
    this.#oddPings.hand(job.jobId);
    this.#take.arrive(job);
  }

  #revoke(revocation: Revocation): void {
    if (!this.#held.drop(revocation)) return;
    const { jobId, leaseToken } = revocation;
    if (this.#take?.remove(leaseToken)) return;
    this.#stops.add(jobId);
    // One that has died holds nothing up.
    if (!this.worker.gone.aborted) this.#heed.hasToStop();
  }

  #warnOfSeveral(): void {
    const { id: workerId, endpointId } = this.worker;
    const message = `several programs ask for jobs as worker ${workerId} at the same time: each needs an id of its own (RUNPOD_POD_ID)`;
    this.#engine.log.warn({ workerId, endpointId }, message);
  }

  /** It works on a job that has ended, cannot be told so, and would keep its place without ever taking another one. */
  #isStuck(): void {
    const { id: workerId, endpointId, isExternal } = this.worker;
    if (isExternal) return;
    const message = `worker did not ask for jobs in the ${LIMITS.liveStopMs} ms since one of its was to be stopped: it is replaced`;
    this.#engine.log.warn({ workerId, endpointId }, message);
    this.#session.retire();
  }

  #hangUp(): void {
    this.#breakOff();
    this.#stops.end();
  }

  /** Answers the poll for jobs with none. What came for it goes back: who asked does not listen, or would not run it. */
  #breakOff(): void {
    const gathered = this.#take?.breakOff() ?? [];
    void this.handBack(gathered);
  }

  /**
   * The worker was handed these jobs and says that it works on none. That their answers did not reach it is one reason of
   * several: it may refuse the job each time, which must have an end.
   */
  async #lose(jobs: readonly HeldJob[]): Promise<void> {
    const { worker } = this;
    const outcome = { kind: "lost", failure: lostFailure(worker, SAYS_IDLE) } as const;
    for (const { lease } of jobs) this.#held.drop(lease);
    const { id: workerId, endpointId } = worker;
    const jobIds = jobs.map(({ lease }) => lease.jobId);
    this.#engine.log.warn({ workerId, endpointId, jobIds }, `worker ${SAYS_IDLE}`);
    await Promise.all(
      jobs.map((held) =>
        held.inOrder(() => this.#session.receive({ outcomes: [{ ...held.lease, outcome }] })),
      ),
    );
  }

  async #giveUp(jobs: readonly HandedJob[]): Promise<void> {
    const outcome = { kind: "handed-back" } as const;
    const outcomes = jobs.map(({ jobId, leaseToken }) => ({ jobId, leaseToken, outcome }));
    try {
      await this.#session.receive({ outcomes });
    } catch (error) {
      const { id: workerId, endpointId } = this.worker;
      const message = "jobs that did not reach their worker wait for their leases to run out";
      this.#engine.log.error({ workerId, endpointId, err: error }, message);
    }
  }
}
