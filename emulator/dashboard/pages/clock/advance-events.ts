/** Counts the events during an advance of the clock by what happened. */
import type { JobMoved, ServiceEvent } from "../../state/service-event.ts";

export interface Happening {
  /** What happened: `job deleted, it was completed`. */
  readonly what: string;
  readonly kind: "job" | "worker" | "webhook" | "scale";
  readonly count: number;
  /** A deleted job has no page. */
  readonly isGone: boolean;
  /** Ids of the newest events, each once, at most MOST_EXAMPLES. */
  readonly examples: readonly Example[];
  readonly hasMore: boolean;
}

export interface Example {
  readonly id: string;
  readonly at: string;
}

export const MOST_EXAMPLES = 3;

/** In the order of the first event of each kind. */
export function happenings(events: readonly ServiceEvent[]): readonly Happening[] {
  const found = new Map<string, Happening>();
  for (const event of events) {
    const told = tellOf(event);
    if (told === undefined) continue;
    const { what, kind, id, isGone = false } = told;
    const before = found.get(what);
    const others = before?.examples.filter((example) => example.id !== id) ?? [];
    const examples = [...others, { id, at: event.at }];
    found.set(what, {
      ...{ what, kind, isGone, count: (before?.count ?? 0) + 1 },
      examples: examples.slice(-MOST_EXAMPLES),
      hasMore: before?.hasMore === true || examples.length > MOST_EXAMPLES,
    });
  }
  return [...found.values()];
}

type Told = Pick<Happening, "what" | "kind"> & Pick<Example, "id"> & { readonly isGone?: boolean };

/** Undefined for an event that is not counted. */
function tellOf(event: ServiceEvent): Told | undefined {
  if (event.type === "job") {
    const { jobId: id, to, from } = event;
    // The report of a failed job is kept for a day.
    const isGone = to === null && from !== "FAILED" && from !== "TIMED_OUT";
    return { kind: "job", id, what: jobWords(event), isGone };
  }
  const { type, workerId, deliveryId, endpointId, state = "changed", reason } = event;
  if (type === "worker" && workerId !== undefined)
    return { kind: "worker", id: workerId, what: `worker ${state}` };
  if (type === "webhook" && deliveryId !== undefined)
    return { kind: "webhook", id: deliveryId, what: `webhook ${state}` };
  if (type === "scale" && endpointId !== undefined)
    return { kind: "scale", id: endpointId, what: `scaler: ${reason ?? "decided"}` };
  return undefined;
}

function jobWords({ from, to }: JobMoved): string {
  if (to === null) return `job deleted, it was ${statusInWords(from)}`;
  if (from === null) return "job submitted";
  return `job ${statusInWords(to)}, it was ${statusInWords(from)}`;
}

function statusInWords(status: JobMoved["from"]): string {
  return (status ?? "new").toLowerCase().replaceAll("_", " ");
}
