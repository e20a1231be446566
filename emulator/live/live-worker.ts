/** One worker that speaks the live dialect: a session with the engine on one side, polls and posts on the other. */
import type { Failure } from "../../runtime/protocol/failure.ts";
import { LIMITS } from "../../runtime/protocol/limits.ts";
import type { HandedJob, Outcome, Revocation } from "../../runtime/protocol/outcome.ts";
import { PROTOCOL_VERSION, type ServiceOrders } from "../../runtime/protocol/session.ts";
import type { EngineContext } from "../engine/context.ts";
import type { FleetWorker } from "../engine/fleet-worker.ts";
import { WorkerSession } from "../engine/worker-session.ts";
import { chunkLines } from "./chunk-lines.ts";
import { HeldJobs } from "./held-jobs.ts";
import { LongPoll } from "./long-poll.ts";

/** How long a worker that was told to leave is held: it must not ask again and again, nor be kept from leaving. */
const LEAVING_HOLD_MS = 1_000;

/** How long the first job of several waits for those whose inputs are still being read. */
const GATHER_MS = 250;

export class LiveWorker {
  readonly worker: FleetWorker;
  readonly #engine: EngineContext;
  readonly #session: WorkerSession;
  readonly #held = new HeldJobs();
  /** Jobs it still has to be told to stop. */
  readonly #toStop = new Set<string>();
  #greeting: Promise<void> | undefined;
  #take: LongPoll<HandedJob> | undefined;
  #stop: LongPoll<string> | undefined;

  constructor(engine: EngineContext, worker: FleetWorker) {
    this.worker = worker;
    this.#engine = engine;
    this.#session = new WorkerSession(engine, worker, (orders) => this.#obey(orders));
    worker.gone.addEventListener("abort", () => this.#hangUp());
  }

  /**
   * Up to `count` jobs as soon as there are any; none when there were none for a while, `signal` fired, or the worker is
   * to leave. A worker asks once at a time: asking again ends what it asked before. What comes must be handed back if the
   * answer cannot be sent.
   *
   * @throws ServiceError storage_full, shutting_down
   */
  async take(count: number, signal: AbortSignal): Promise<readonly HandedJob[]> {
    const { worker } = this;
    this.#take?.end();
    using _ = this.#present();
    await this.#greet();
    if (worker.state !== "ready") await this.#session.receive({ ready: { concurrency: count } });
    // Another poll may have begun meanwhile.
    this.#take?.end();
    const poll: LongPoll<HandedJob> = new LongPoll<HandedJob>({
      ...this.#pollOptions(signal),
      onEnd: () => {
        this.#take = undefined;
        this.#session.withdrawCredit();
      },
      onTimeOver: () => (poll.count === 0 && worker.unsentCount > 0 ? GATHER_MS : 0),
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
    return await poll.ended;
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
    this.#stop?.end();
    using _ = this.#present();
    await this.#greet();
    this.#stop?.end();
    const onEnd = () => (this.#stop = undefined);
    const poll = new LongPoll<string>({ ...this.#pollOptions(signal), onEnd });
    if (poll.isOver) return [];
    this.#stop = poll;
    this.#tellStops();
    return await poll.ended;
  }

  /** The worker was not told to stop these jobs. */
  sayAgain(jobIds: readonly string[]): void {
    for (const jobId of jobIds) this.#toStop.add(jobId);
    this.#tellStops();
  }

  /** Ends the job if the worker still holds it; settles when that is durable. @throws ServiceError storage_full, shutting_down */
  async finish(jobId: string, outcome: Outcome): Promise<void> {
    const held = this.#held.find(jobId);
    // It is over whatever it was: there is nothing left to stop.
    this.#toStop.delete(jobId);
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

  /** The worker is there, and works on these jobs. @throws ServiceError storage_full, shutting_down */
  async ping(jobIds: readonly string[]): Promise<void> {
    await this.#greet();
    const renewals = jobIds.flatMap((jobId) => this.#held.find(jobId)?.lease ?? []);
    await this.#session.receive({ renewals });
  }

  /** The worker can take no jobs. */
  async cannotWork(failure: Failure): Promise<void> {
    await this.#greet();
    await this.#session.receive({ initFailure: failure });
  }

  /** The worker wants another in its place, which only those can have that the service started. */
  replace(): void {
    const { id: workerId, endpointId, cameByItself } = this.worker;
    if (!cameByItself) return this.#session.retire();
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

  /** While it waits for an answer it has nothing to say. */
  #present(): Disposable {
    const { worker } = this;
    const { realClock } = this.#engine;
    worker.speaks(realClock.now());
    return { [Symbol.dispose]: () => worker.wasHeard(realClock.now()) };
  }

  #pollOptions(signal: AbortSignal) {
    const isLeaving = this.worker.leavingSince !== undefined;
    const holdMs = isLeaving ? LEAVING_HOLD_MS : LIMITS.livePollMs;
    return { clock: this.#engine.realClock, holdMs, signal };
  }

  #obey({ jobs = [], revocations = [], drain }: ServiceOrders): void {
    for (const job of jobs) this.#arrive(job);
    for (const revocation of revocations) this.#revoke(revocation);
    if (drain) this.#hangUp();
  }

  #arrive(job: HandedJob): void {
    const poll = this.#take;
    // The worker waits no more: it was on its way when the poll ended.
    if (!poll) return void this.#giveUp([job]);
    this.#toStop.delete(job.jobId);
    this.#held.add(job);
    poll.add(job);
    if (this.worker.unsentCount === 0) poll.end();
    else if (poll.count === 1) poll.endIn(GATHER_MS);
  }

  #revoke(revocation: Revocation): void {
    if (!this.#held.drop(revocation)) return;
    const { jobId, leaseToken } = revocation;
    if (this.#take?.remove((job) => job.leaseToken === leaseToken)) return;
    this.#toStop.add(jobId);
    this.#tellStops();
  }

  #tellStops(): void {
    if (!this.#stop || this.#toStop.size === 0) return;
    this.#stop.add(...this.#toStop);
    this.#toStop.clear();
    this.#stop.end();
  }

  #hangUp(): void {
    this.#take?.end();
    this.#stop?.end();
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
