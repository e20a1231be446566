/** Follows what happens at the service for as long as the dashboard is open, and connects again when that breaks off. */
import { dispatch, state } from "../state/store.ts";
import { CallError, open } from "./call.ts";
import { type Frame, readFrames } from "./frame-reader.ts";
import { pageVisible, onPageHidden } from "./page-visibility.ts";
import { eventsOf, type ServiceEvent } from "../state/service-event.ts";

type Listener = (events: readonly ServiceEvent[]) => void;

const listeners = new Set<Listener>();

/** Where to go on after a break. */
let lastId: string | undefined;

/** Calls `listener` with what happens, several events at a time, until the returned function is called. */
export function onEvents(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Ends when there is no session. */
export async function follow(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pageVisible(signal);
    try {
      await followOnce(signal);
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

async function followOnce(signal: AbortSignal): Promise<void> {
  const quiet = new AbortController();
  const forget = onPageHidden(() => quiet.abort());
  try {
    await connect(signal, quiet);
  } finally {
    forget();
  }
}

async function connect(signal: AbortSignal, quiet: AbortController): Promise<void> {
  const headers = lastId === undefined ? {} : { "last-event-id": lastId };
  const response = await open("emulator/events?joined=true", {
    headers,
    signal: AbortSignal.any([signal, quiet.signal]),
  });
  const isFirst = state.peek().link.phase === "connecting";
  dispatch({ type: "connected" });
  // Without a place to go on from, nobody knows what was missed.
  if (!isFirst && lastId === undefined) dispatch({ type: "past-lost" });
  await read(response, quiet);
}

/** The service says something every 15 s: a connection that is silent for longer is dead. */
const SILENCE_MS = 40_000;

async function read(response: Response, quiet: AbortController): Promise<void> {
  let timer = setTimeout(() => quiet.abort(), SILENCE_MS);
  try {
    await readFrames(response, (frames) => {
      clearTimeout(timer);
      timer = setTimeout(() => quiet.abort(), SILENCE_MS);
      take(frames);
    });
  } finally {
    clearTimeout(timer);
  }
}

function take(frames: readonly Frame[]): void {
  const events: ServiceEvent[] = [];
  for (const { type, data, id } of frames) {
    if (id !== undefined) lastId = id;
    if (type === "reset" || type === "dropped") dispatch({ type: "past-lost" });
    else events.push(...eventsOf(type, data));
  }
  const last = events.at(-1);
  if (last === undefined) return;
  dispatch({ type: "happened", events });
  for (const listener of listeners) listener(events);
}

/** Shorter where the page comes into sight, or the network is back. */
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
