/** The spans of a job: how long it waited in the queue each time, and each execution. */
import type { Job } from "../../core/jobs/job.ts";
import type { Fact, JobMoved, StatusMove } from "../../core/observe/fact.ts";
import type { OpenSpan, Tracer } from "../../trace/tracer.ts";

interface Execution {
  readonly attempt: number;
  readonly span: OpenSpan;
}

export class JobSpans {
  readonly #tracer: Tracer;
  /** Service time. */
  readonly #now: () => number;
  /** Executions under way, by job. A job has two while the end of the first one is being stored. */
  readonly #executions = new Map<string, readonly Execution[]>();

  constructor(tracer: Tracer, now: () => number) {
    this.#tracer = tracer;
    this.#now = now;
  }

  take(fact: Fact): void {
    if (fact.type === "job-gone") {
      const error = "its endpoint has moved to another emulator";
      for (const { span } of this.#executions.get(fact.jobId) ?? []) span.end({ error });
      this.#executions.delete(fact.jobId);
    }
    if (fact.type !== "job" || fact.depth === undefined) return;
    const { from, to, by, job } = fact;
    if (from === "IN_QUEUE") this.#waited(job, by);
    if (from === "IN_PROGRESS") this.#executed(fact);
    if (to === "IN_PROGRESS") this.begin(job);
  }

  /** The parent of the handler's spans: the span of the execution, or that of the submission. */
  traceparentOf(job: Job): string | undefined {
    return this.#spanOf(job)?.traceparent ?? job.traceparent;
  }

  #waited(job: Job, by: string): void {
    const agoMs = Math.max(0, this.#now() - job.queuedAt);
    const attributes = { ...attributesOf(job), "sv.ended_by": by };
    const parent = job.traceparent;
    this.#tracer.begin({ name: "job queued", kind: "internal", parent, agoMs, attributes }).end();
  }

  /** Begins the span of an execution, which may leave before it is durable. The fact that tells of it then changes nothing. */
  begin(job: Job): void {
    if (this.#spanOf(job)) return;
    const attributes = {
      ...attributesOf(job),
      "sv.worker.id": job.workerId ?? "",
      ...(job.version !== undefined && { "sv.endpoint.version": job.version }),
    };
    const parent = job.traceparent;
    const span = this.#tracer.begin({ name: "job run", kind: "consumer", parent, attributes });
    const others = this.#executions.get(job.id) ?? [];
    this.#executions.set(job.id, [...others, { attempt: job.attempt, span }]);
  }

  /** Forgets the span of an execution that is not stored: it is not exported. */
  forget({ id, attempt }: Job): void {
    const others = this.#executions.get(id)?.filter((each) => each.attempt !== attempt) ?? [];
    if (others.length === 0) this.#executions.delete(id);
    else this.#executions.set(id, others);
  }

  #spanOf({ id, attempt }: Job): OpenSpan | undefined {
    return this.#executions.get(id)?.find((each) => each.attempt === attempt)?.span;
  }

  #executed({ job, to, by, ended }: JobMoved): void {
    const span = this.#spanOf(job);
    this.forget(job);
    const error = GOOD_ENDS.has(by) ? undefined : (ended?.failure?.message ?? by);
    const attributes = {
      "sv.job.status": job.status,
      "sv.ended_by": by,
      ...(ended && to !== null && { "sv.attempt.outcome": ended.outcome }),
    };
    span?.end({ attributes, error });
  }
}

/** Events that end an execution without an error. */
const GOOD_ENDS: ReadonlySet<StatusMove["by"]> = new Set(["complete", "cancel", "hand-back"]);

function attributesOf({ id, endpointId, attempt }: Job) {
  return { "sv.job.id": id, "sv.endpoint.id": endpointId, "sv.job.attempt": attempt };
}
