/** The sort orders of jobs in memory. A job has at most one place in each order. */
import { JOB_STATUSES, type JobStatus } from "../../../runtime/protocol/job-status.ts";
import { dueAt } from "../../core/jobs/job-due.ts";
import type { Job } from "../../core/jobs/job.ts";
import { OrderedSet } from "./ordered-set.ts";

/** Sort orders of an endpoint's jobs. In addition, each status has its own order by seq. */
const ENDPOINT_PLACES = {
  all: (job: Job) => job.seq,
  waiting: (job: Job) => (job.status === "IN_QUEUE" ? job.queueKey : undefined),
  scaling: (job: Job) => (job.status === "IN_QUEUE" && !job.lowPriority ? job.queuedAt : undefined),
} as const;

const ENDPOINT_ORDERS = ["all", "waiting", "scaling"] as const;

type EndpointIndexes = Readonly<Record<keyof typeof ENDPOINT_PLACES | JobStatus, OrderedSet>>;

export class JobIndexes {
  /** Jobs of all endpoints by seq. */
  readonly all = new OrderedSet();
  readonly due = new OrderedSet();
  readonly #byEndpoint = new Map<string, EndpointIndexes>();

  of(endpointId: string): EndpointIndexes | undefined {
    return this.#byEndpoint.get(endpointId);
  }

  *each(): Iterable<EndpointIndexes> {
    yield* this.#byEndpoint.values();
  }

  /** Moves a job from its places before a change to its places after it. An undefined job does not exist at that time. */
  move(before: Job | undefined, after: Job | undefined): void {
    const job = after ?? before;
    if (job === undefined) return;
    const indexes = this.#indexesOf(job.endpointId);
    for (const order of ENDPOINT_ORDERS) {
      const placeOf = ENDPOINT_PLACES[order];
      const from = before && placeOf(before);
      const to = after && placeOf(after);
      moveIn(indexes[order], job.seq, from, to);
    }
    if (before?.status !== after?.status) {
      if (before !== undefined) indexes[before.status].delete(job.seq, job.seq);
      if (after !== undefined) indexes[after.status].add(job.seq, job.seq);
    }
    moveIn(this.all, job.seq, before?.seq, after?.seq);
    moveIn(this.due, job.seq, before && dueAt(before), after && dueAt(after));
  }

  #indexesOf(endpointId: string): EndpointIndexes {
    let indexes = this.#byEndpoint.get(endpointId);
    if (indexes === undefined) {
      indexes = emptyIndexes();
      this.#byEndpoint.set(endpointId, indexes);
    }
    return indexes;
  }
}

function emptyIndexes(): EndpointIndexes {
  const names = [...ENDPOINT_ORDERS, ...JOB_STATUSES];
  // The names are the keys of the type.
  return Object.fromEntries(names.map((name) => [name, new OrderedSet()])) as EndpointIndexes;
}

function moveIn(
  set: OrderedSet,
  seq: number,
  from: number | undefined,
  to: number | undefined,
): void {
  if (from === to) return;
  if (from !== undefined) set.delete(from, seq);
  if (to !== undefined) set.add(to, seq);
}
