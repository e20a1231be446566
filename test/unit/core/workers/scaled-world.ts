/**
 * A small pure world around the scaler: jobs, workers that take time to start and fail, and devices that may be
 * short. It asks the scaler only after a change or when a decision is due, like the service, and records
 * everything.
 */
import { decideScale, type Demand } from "../../../../emulator/core/workers/scaler.ts";
import { StartBackoff } from "../../../../emulator/engine/workers/scaling/start-backoff.ts";
import { FlapWatch } from "./flap-watch.ts";
import type { Happening, Settings } from "./happening.ts";
import { type Job, newWorker, type Worker } from "./scaled-worker.ts";
import { Timetable } from "./timetable.ts";

const EXIT_MS = 50;

export class ScaledWorld {
  now = 0;
  settings: Settings;
  version = 1;
  /** Sentences about broken rules. */
  readonly offences: string[] = [];
  /** Number of all started workers. */
  starts = 0;
  readonly #concurrency: number;
  readonly #startMs: number;
  #workers: Worker[] = [];
  #queue: Job[] = [];
  #backoff = new StartBackoff();
  #lastStartAt: number | undefined;
  #isBroken = false;
  #devices = Number.POSITIVE_INFINITY;
  #isThrottled = false;
  readonly #timetable = new Timetable();
  #scalerDueAt: number | undefined;
  readonly #flapWatch = new FlapWatch();

  constructor(settings: Settings, startMs: number, concurrency = 1) {
    this.settings = settings;
    this.#startMs = startMs;
    this.#concurrency = concurrency;
    this.#decide();
  }

  get waiting(): { readonly normal: number; readonly low: number } {
    const low = this.#queue.filter((job) => job.low).length;
    return { normal: this.#queue.length - low, low };
  }

  /** Workers of the current version that are starting or ready. */
  get live(): number {
    return this.#current().length;
  }

  get processes(): number {
    return this.#workers.filter(({ hasProcess }) => hasProcess).length;
  }

  get running(): number {
    return this.#workers.reduce((sum, { heldCount }) => sum + heldCount, 0);
  }

  happen(happening: Happening): void {
    this.#happen(happening);
    this.#settle();
  }

  /** Lets time pass to `until`, or until nothing is due. Returns false if it never settles. */
  run(until = Number.POSITIVE_INFINITY): boolean {
    for (let step = 0; step < 5_000; step += 1) {
      const nextAt = this.#timetable.nextAt;
      const at = Math.min(nextAt, this.#scalerDueAt ?? Number.POSITIVE_INFINITY);
      if (at > until || at === Number.POSITIVE_INFINITY) {
        if (Number.isFinite(until)) this.now = Math.max(this.now, until);
        return true;
      }
      this.#checkSleep(at);
      this.now = Math.max(this.now, at);
      if (nextAt === at) this.#timetable.actNext();
      this.#settle();
    }
    return false;
  }

  /** The scaler's decision an hour later: nothing, if it missed no due time. */
  hasSleptTooLong(): boolean {
    const { start, drain, forget } = this.#ask(this.now + 3_600_000);
    return start > 0 || drain.length > 0 || forget.length > 0;
  }

  #happen(happening: Happening): void {
    switch (happening.kind) {
      case "submit":
        for (let made = 0; made < happening.count; made += 1)
          this.#queue.push({ ...happening, queuedAt: this.now });
        if (!happening.low) this.#flapWatch.caused();
        break;
      case "set": {
        const set = { ...this.settings, ...happening.settings };
        this.settings = { ...set, workersMin: Math.min(set.workersMin, set.workersMax) };
        this.#flapWatch.caused();
        break;
      }
      case "release":
        this.version += 1;
        this.#backoff = new StartBackoff();
        this.#lastStartAt = undefined;
        this.#flapWatch.caused();
        break;
      case "crash": {
        const there = this.#workers.filter(({ hasProcess }) => hasProcess);
        const worker = there[happening.pick % Math.max(1, there.length)];
        if (worker) this.#end(worker);
        break;
      }
      case "break":
        this.#isBroken = happening.isBroken;
        break;
      default:
        this.#devices = happening.count;
    }
  }

  #settle(): void {
    this.#assign();
    this.#decide();
    for (const worker of this.#workers) {
      if (worker.state === "draining" && worker.heldCount === 0 && !worker.isLeaving)
        this.#letGo(worker);
    }
  }

  /** A worker keeps its device until it has ended. */
  #letGo(worker: Worker): void {
    worker.isLeaving = true;
    this.#in(EXIT_MS, () => {
      this.#workers = this.#workers.filter((other) => other !== worker);
      if (worker.readyAt !== undefined && worker.endpointVersion === this.version)
        this.#backoff.succeeded();
    });
  }

  #assign(): void {
    for (const worker of this.#workers) {
      while (worker.state === "ready" && worker.heldCount < this.#concurrency) {
        const job = this.#queue.shift();
        if (!job) return;
        worker.held.add(job);
        worker.heldCount += 1;
        this.#in(job.runMs, () => this.#finish(worker, job));
      }
    }
  }

  #finish(worker: Worker, job: Job): void {
    if (!worker.held.delete(job)) return;
    worker.heldCount -= 1;
    worker.hasFinishedJob = true;
    if (worker.heldCount === 0) worker.idleSince = this.now;
  }

  /** Jobs of low priority are left out. */
  #demand(): Demand {
    const waits = this.#queue.filter((job) => !job.low).map((job) => job.queuedAt);
    const runs = this.#workers.flatMap(({ held }) => [...held]).filter((job) => !job.low);
    const waitingSince = waits.length > 0 ? Math.min(...waits) : undefined;
    return { waiting: waits.length, running: runs.length, waitingSince };
  }

  #ask(now: number) {
    for (const { state, readyAt } of this.#current())
      if (state === "ready" && readyAt !== undefined) this.#backoff.becameReady(readyAt);
    return decideScale({
      now,
      endpoint: { ...this.settings, version: this.version },
      demand: this.#demand(),
      workers: this.#workers,
      lastStartAt: this.#lastStartAt,
      notBefore: this.#backoff.notBefore,
      isProbing: this.#backoff.isProbing,
    });
  }

  #decide(): void {
    const { start, drain, forget, dueAt } = this.#ask(this.now);
    const wasWithinMax = this.live <= this.settings.workersMax;
    for (const worker of this.#workers.filter(({ id }) => drain.includes(id))) {
      const isIdle = wasWithinMax && worker.endpointVersion === this.version;
      if (isIdle) this.#noteIdleStop(worker);
      worker.state = "draining";
    }
    this.#workers = this.#workers.filter(({ id }) => !forget.includes(id));
    this.#isThrottled = false;
    const startsBefore = this.starts;
    for (let started = 0; started < start && !this.#isThrottled; started += 1) {
      this.#isThrottled = this.processes >= this.#devices;
      if (!this.#isThrottled) this.#start();
    }
    this.#scalerDueAt = dueAt;
    if (this.starts > startsBefore) return this.#decide();
    if (dueAt !== undefined && dueAt <= this.now) this.offences.push(`asked again at once`);
    const { workersMax } = this.settings;
    if (this.live > workersMax) this.offences.push(`${this.live} workers, ${workersMax} at most`);
  }

  #start(): void {
    const { waiting, running } = this.#demand();
    if (waiting + running === 0 && this.live >= this.settings.workersMin)
      this.offences.push("a worker was started for nothing or for jobs of low priority");
    if (this.#flapWatch.isFlapping(this.now - this.settings.idleTimeout * 1_000))
      this.offences.push("a worker was stopped and another started without need");
    this.starts += 1;
    this.#lastStartAt = this.now;
    const worker = newWorker(String(this.starts), this.version, this.now);
    this.#workers.push(worker);
    this.#in(this.#startMs, () => {
      if (worker.state !== "initializing") return;
      if (this.#isBroken) {
        worker.state = "unhealthy";
        this.#in(EXIT_MS, () => this.#end(worker));
        return;
      }
      worker.state = "ready";
      worker.readyAt = this.now;
      worker.idleSince = this.now;
    });
  }

  /** The process has exited by itself: its jobs return to the queue, and the backoff counts it. */
  #end(worker: Worker): void {
    if (!worker.hasProcess) return;
    worker.hasProcess = false;
    this.#queue.unshift(
      ...[...worker.held].map((job) => Object.assign(job, { queuedAt: this.now })),
    );
    worker.held.clear();
    worker.heldCount = 0;
    this.#flapWatch.caused();
    if (worker.state === "draining") {
      this.#workers = this.#workers.filter((other) => other !== worker);
      return;
    }
    if (worker.endpointVersion === this.version) {
      if (worker.hasFinishedJob) this.#backoff.succeeded();
      this.#backoff.failed(this.now, worker.startedAt);
    }
    worker.state = "unhealthy";
  }

  #noteIdleStop(worker: Worker): void {
    const idleMs = this.now - worker.idleSince;
    if (
      worker.state !== "ready" ||
      worker.heldCount > 0 ||
      idleMs < this.settings.idleTimeout * 1_000
    )
      this.offences.push(`a worker was stopped ${idleMs} ms after its last job`);
    this.#flapWatch.stopped(this.now);
  }

  /** Just before the next event the scaler would have decided nothing. */
  #checkSleep(at: number): void {
    if (at - 1 <= this.now) return;
    const { start, drain, forget } = this.#ask(at - 1);
    if ((start > 0 && !this.#isThrottled) || drain.length > 0 || forget.length > 0)
      this.offences.push(`a due moment before ${at} was missed`);
  }

  #current(): readonly Worker[] {
    return this.#workers.filter(
      ({ state, endpointVersion }) =>
        (state === "initializing" || state === "ready") && endpointVersion === this.version,
    );
  }

  #in(ms: number, act: () => void): void {
    this.#timetable.add(this.now + ms, act);
  }
}
