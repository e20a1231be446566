/** One worker of the live dialect: a session with the engine on one side, polls and posts on the other. */
import type { Failure } from "../../runtime/protocol/failure.ts";
import { LIMITS } from "../../runtime/protocol/limits.ts";
import type { HandedJob, Outcome, Revocation } from "../../runtime/protocol/outcome.ts";
import { PROTOCOL_VERSION, type ServiceOrders } from "../../runtime/protocol/session.ts";
import type { StepPort } from "../engine/steps/step-port.ts";
import type { TimePort } from "../engine/time/time-port.ts";
import type { WorkerPort } from "../engine/workers/worker-port.ts";
import type { TellPort } from "../engine/observe/tell-port.ts";
import type { WakePort } from "../engine/steps/wake-port.ts";
import { replaceOnRequest } from "../engine/workers/replace-worker.ts";
import type { WorkerHandle } from "../engine/workers/worker-handle.ts";
import { lostFailure } from "../engine/workers/describe-exit.ts";
import type { OpenSession, WorkerSession } from "../engine/workers/session/worker-session.ts";
import { PollerDetector } from "./poller-detector.ts";
import { chunkLines } from "./chunk-lines.ts";
import { type HeldJob, HeldJobs } from "./held-jobs.ts";
import { JobPoll } from "./job-poll.ts";
import { LiveTransfers } from "./live-transfers.ts";
import { PingCheck } from "./ping-check.ts";
import { StopWatch } from "./stop-watch.ts";
import { StopQueue } from "./stop-queue.ts";

/** Time that a poll of a leaving worker is held. The worker must neither poll without a pause nor be kept from leaving. */
const DRAINING_HOLD_MS = 1_000;

export interface JobRequest {
  readonly count: number;
  readonly isIdle?: boolean;
}

const SAYS_IDLE =
  "asks for jobs and says that it has none: its jobs did not reach it, were refused, or their results were lost";

type LiveWorkerUses = StepPort & TimePort & WorkerPort & TellPort & WakePort;

export class LiveWorker {
  readonly worker: WorkerHandle;
  readonly transfers: LiveTransfers;
  readonly #engine: LiveWorkerUses;
  readonly #session: WorkerSession;
  readonly #held = new HeldJobs();
  readonly #stops = new StopQueue();
  readonly #stopWatch: StopWatch;
  readonly #pollers: PollerDetector;
  readonly #pingCheck: PingCheck;
  /** The worker's pings name its jobs. The worker does not work on a job that they omit. */
  #namesJobs = false;
  #greeting: Promise<void> | undefined;
  #poll: JobPoll | undefined;

  constructor(engine: LiveWorkerUses, worker: WorkerHandle, openSession: OpenSession) {
    this.worker = worker;
    this.#engine = engine;
    const rules = { endsWithRefusal: false };
    this.#session = openSession(worker, (orders) => this.#handleOrders(orders), rules);
    const [session, held, clock] = [this.#session, this.#held, engine.realClock];
    this.transfers = new LiveTransfers({ session, held, clock });
    this.#stopWatch = new StopWatch(engine.realClock, () => this.#replaceStuck());
    this.#pollers = new PollerDetector(engine.realClock, () => this.#warnOfSeveral());
    this.#pingCheck = new PingCheck(engine, worker);
    worker.gone.addEventListener("abort", () => {
      this.#stopWatch.end();
      this.#endPolls();
    });
  }

  /**
   * Up to `count` jobs as soon as there are any. None if none came in time, `signal` fired, or the worker was told to leave. A worker
   * has one poll at a time: a new poll ends the previous one without a job. The caller hands the jobs back if the answer cannot be
   * sent.
   *
   * @throws ServiceError storage_full, shutting_down
   */
  async take(
    { count, isIdle = false }: JobRequest,
    signal: AbortSignal,
  ): Promise<readonly HandedJob[]> {
    const { worker } = this;
    this.#cancelPoll();
    this.#stopWatch.end();
    this.#pingCheck.polled();
    const poller = this.#pollers.begin();
    const missing = isIdle && !this.#pollers.several ? this.#held.all() : [];
    // It sends nothing else while it waits for the answer.
    using _ = this.#engine.mover.receive(this.worker);
    await this.#greet();
    if (missing.length > 0) await this.#reportLost(missing);
    if (worker.state !== "ready") await this.#session.receive({ ready: { concurrency: count } });
    // Another poll may have begun.
    this.#cancelPoll();
    const poll = new JobPoll({
      ...this.#pollOptions(signal),
      count,
      underWay: () => worker.unsentCount,
      onEnd: () => {
        this.#poll = undefined;
        this.#session.withdrawCredit();
      },
    });
    if (poll.isOver) return [];
    this.#poll = poll;
    try {
      await this.#session.grant(count);
    } catch (error) {
      poll.end();
      await this.handBack(await poll.ended);
      throw error;
    }
    const jobs = await poll.ended;
    if (jobs.length === 0) await this.#pollers.pause(poller, signal);
    this.transfers.begun(jobs);
    return jobs;
  }

  /** Puts jobs that never reached the worker back into the queue, without counting an attempt. Never rejects. */
  async handBack(jobs: readonly HandedJob[]): Promise<void> {
    const lost = jobs.filter((job) => this.#held.drop(job));
    if (lost.length > 0) await this.#requeue(lost);
  }

  /**
   * The ids of jobs that the worker must stop, as soon as there are any; none after the timeout. The caller passes them to
   * `stopAgain` if the answer cannot be sent.
   */
  async jobsToStop(signal: AbortSignal): Promise<readonly string[]> {
    this.#stops.endPoll();
    // It sends nothing else while it waits for the answer.
    using _ = this.#engine.mover.receive(this.worker);
    await this.#greet();
    return await this.#stops.poll(this.#pollOptions(signal));
  }

  /** Returns jobs that the worker was not told to stop. The next poll tells it again. */
  stopAgain(jobIds: readonly string[]): void {
    this.#stops.add(...jobIds);
  }

  /** Ends the job if the worker still holds it. Resolves when that is durable. @throws ServiceError storage_full, shutting_down */
  async finish(jobId: string, outcome: Outcome): Promise<void> {
    const held = this.#held.find(jobId);
    // The job has ended: the worker no longer needs to stop it.
    this.#stops.remove(jobId);
    if (!held) return this.#recordContact();
    const { lease } = held;
    await held.inOrder(() => this.#session.receiveChecked({ outcomes: [{ ...lease, outcome }] }));
    this.#held.drop(lease);
  }

  /** Stores a progress value of a job that the worker still holds. @throws ServiceError storage_full, shutting_down */
  async progress(jobId: string, value: Uint8Array): Promise<void> {
    const held = this.#held.find(jobId);
    if (!held) return this.#recordContact();
    await this.#session.receiveChecked({ progress: [{ ...held.lease, value }] });
  }

  /**
   * Appends a yielded value to the stream of a job that the worker still holds. Resolves when it is durable.
   *
   * @param output raw JSON
   * @throws ServiceError invalid_request for a value that cannot be split into chunks; storage_full, shutting_down
   */
  async stream(jobId: string, output: Uint8Array): Promise<void> {
    const held = this.#held.find(jobId);
    if (!held) return this.#recordContact();
    await held.inOrder(async () => {
      const { lease, attempt, nextChunk: firstIndex } = held;
      const { count, lines } = await chunkLines(output, firstIndex, attempt);
      await this.#session.receiveChecked({ chunks: [{ ...lease, firstIndex, count, lines }] });
      held.nextChunk += count;
    });
  }

  /** Renews these jobs and jobs on the way, or all jobs if no ping ever named any. @throws ServiceError storage_full, shutting_down */
  async ping(jobIds: readonly string[]): Promise<void> {
    await this.#greet();
    if (jobIds.length > 0) this.#namesJobs = true;
    const onTheWay = this.transfers.named(jobIds);
    const named = [...jobIds.map((jobId) => this.#held.find(jobId)), ...onTheWay];
    const held = this.#namesJobs ? named : this.#held.all();
    const renewals = held.flatMap((job) => job?.lease ?? []);
    await this.#session.receive({ renewals });
    await this.#pingCheck.pinged(jobIds, { isPolling: this.#poll !== undefined });
  }

  /** The worker reports that it can take no jobs. */
  async initFailed(failure: Failure): Promise<void> {
    await this.#greet();
    await this.#session.receive({ initFailure: failure });
  }

  /** Replaces the worker at its request. */
  replace(): void {
    replaceOnRequest(this.#engine, this.worker);
  }

  /** Greets the service once. A failed greeting is repeated with the next request. */
  #greet(): Promise<void> {
    const hello = { protocolVersion: PROTOCOL_VERSION, runtimeVersion: "", held: [] };
    this.#greeting ??= this.#session.receive({ hello }).catch((error: unknown) => {
      this.#greeting = undefined;
      throw error;
    });
    return this.#greeting;
  }

  async #recordContact(): Promise<void> {
    await this.#session.receive({});
  }

  #pollOptions(signal: AbortSignal) {
    const isDraining = this.worker.life.drainingSince !== undefined;
    const holdMs = isDraining ? DRAINING_HOLD_MS : LIMITS.livePollMs;
    return { clock: this.#engine.realClock, holdMs, signal };
  }

  #handleOrders({ jobs = [], revocations = [], drain }: ServiceOrders): void {
    for (const job of jobs) this.#arrive(job);
    for (const revocation of revocations) this.#revoke(revocation);
    if (drain) this.#endPolls();
  }

  #arrive(job: HandedJob): void {
    // The poll ended while the job was on its way.
    if (!this.#poll) return void this.#requeue([job]);
    this.#stops.remove(job.jobId);
    this.#held.add(job);
    this.#pingCheck.jobHanded(job.jobId);
    this.#poll.arrive(job);
  }

  #revoke(revocation: Revocation): void {
    if (!this.#held.drop(revocation)) return;
    const { jobId, leaseToken } = revocation;
    if (this.#poll?.remove(leaseToken)) return;
    this.#stops.add(jobId);
    // A worker that is gone cannot be stuck.
    if (!this.worker.gone.aborted) this.#stopWatch.begin();
  }

  #warnOfSeveral(): void {
    const { id: workerId, endpointId } = this.worker;
    const message = `several programs ask for jobs as worker ${workerId} at the same time: each needs an id of its own (RUNPOD_POD_ID)`;
    this.#engine.log.warn({ workerId, endpointId }, message);
  }

  /** Replaces a worker that does not stop a job that has ended. It would keep its place without taking another job. */
  #replaceStuck(): void {
    const { id: workerId, endpointId, isExternal } = this.worker;
    if (isExternal) return;
    const message = `worker did not ask for jobs within ${LIMITS.liveStopMs} ms after it had to stop one: it is replaced`;
    this.#engine.log.warn({ workerId, endpointId }, message);
    replaceOnRequest(this.#engine, this.worker);
  }

  #endPolls(): void {
    this.#cancelPoll();
    this.#stops.endPoll();
  }

  /** Answers the poll without a job, and queues its jobs again: the client has gone, or would not run them. */
  #cancelPoll(): void {
    const gathered = this.#poll?.cancel() ?? [];
    void this.handBack(gathered);
  }

  /**
   * Reports the worker's jobs as lost, because it says that it works on none. The answer with the jobs may not have reached it.
   * It may also refuse the jobs each time, so this counts as an attempt.
   */
  async #reportLost(jobs: readonly HeldJob[]): Promise<void> {
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

  async #requeue(jobs: readonly HandedJob[]): Promise<void> {
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
