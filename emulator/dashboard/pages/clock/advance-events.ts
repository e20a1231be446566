/** What an advance of the clock set off, out of the events that came meanwhile: in words, alike ones counted together. */
import type { JobMoved, ServiceEvent } from "../../state/service-event.ts";

export interface Happening {
  /** What alike ones have in common: `job deleted, it was completed`. */
  readonly what: string;
  readonly kind: "job" | "worker" | "webhook" | "scale";
  readonly count: number;
  /** There is nothing left to look at. */
  readonly isGone: boolean;
  /** What the newest of them are about, each once, at most MOST_EXAMPLES: ids to follow. */
  readonly examples: readonly Example[];
  /** There are others. */
  readonly hasMore: boolean;
}

export interface Example {
  readonly id: string;
  readonly at: string;
}

export const MOST_EXAMPLES = 3;

/** In the order in which the first of each kind came. */
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

/** Undefined for what says nothing by itself. */
function tellOf(event: ServiceEvent): Told | undefined {
  if (event.type === "job") {
    const { jobId: id, to, from } = event;
    // The report of a failed one is kept for a day.
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
