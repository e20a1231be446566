/** Follows the events of the service while the dashboard is open, and connects again after a break. */
import type { EventFrame } from "../../core/observe/event-frames.ts";
import { eventsOf, type ServiceEvent } from "../state/service-event.ts";
import { dispatch, state } from "../state/store.ts";
import { CallError } from "./call.ts";
import { readStream } from "./stream.ts";

type Listener = (events: readonly ServiceEvent[]) => void;

const listeners = new Set<Listener>();

/** The event after which a new connection continues. */
let lastId: string | undefined;

/** Calls `listener` with events, several at a time, until the returned function is called. */
export function onEvents(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Ends when there is no session. */
export async function follow(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await readStream("emulator/events?joined=true", { signal, lastId, onOpen: connected }, take);
    } catch (error) {
      if (error instanceof CallError && error.status === 401) return;
    }
    if (signal.aborted) return;
    if (document.hidden) continue;
    dispatch({ type: "disconnected" });
    const { link } = state.peek();
    await pause(link.phase === "waiting" ? link.retryMs : 0, signal);
  }
}

function connected(): void {
  const isFirst = state.peek().link.phase === "connecting";
  dispatch({ type: "connected" });
  // Without an id to continue from, missed events are unknown.
  if (!isFirst && lastId === undefined) dispatch({ type: "past-lost" });
}

function take(frames: readonly EventFrame[]): void {
  const events: ServiceEvent[] = [];
  for (const { type, data, id } of frames) {
    if (id !== undefined) lastId = id;
    if (type === "reset" || type === "dropped") dispatch({ type: "past-lost" });
    else events.push(...eventsOf(type, data));
  }
  if (events.length === 0) return;
  dispatch({ type: "happened", events });
  for (const listener of listeners) listener(events);
}

/** Ends earlier when the page gets the focus or the network returns. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const ended = new AbortController();
  for (const name of ["online", "focus"]) {
    window.addEventListener(name, () => resolve(), { signal: ended.signal });
  }
  signal.addEventListener("abort", () => resolve(), { signal: ended.signal });
  await promise;
  clearTimeout(timer);
  ended.abort();
}
