/** Pushes the items of a feed to a client as server-sent events, as long as the client keeps up. */
import type { ServerResponse } from "node:http";
import type { Clock } from "../../core/time/clock.ts";
import type { FeedReader } from "../../engine/observe/feed-reader.ts";
import { ClientWait } from "../requests/client-wait.ts";
import { beginPush } from "../answers/begin-push.ts";
import { writeWithBackpressure } from "../answers/write-with-backpressure.ts";
import type { HttpService } from "../service.ts";

/** Sent while nothing happens, so that proxies keep the connection open. */
const QUIET = ": nothing happened\n\n";

/** How long a reader that was dropped has to read what was written already. */
const GRACE_MS = 5_000;

/** What is written at once of what is there already. */
const SLICE = 1_000;

export interface Push<Item> {
  /** Begins to follow the feed: items from then on are pushed. */
  readonly follow: () => FeedReader<Item>;
  /** What is written first: a text, and items. */
  readonly before?: () => { readonly text: string; readonly items: readonly Item[] };
  /** False: the answer ends after that. */
  readonly goesOn?: boolean;
  /** How items are written that are written at once, at least one. */
  readonly written: (items: readonly Item[]) => string;
  /** At least so much real time lies between two writes of items; default: none. */
  readonly paceMs?: number | undefined;
  /** The message for a reader that did not keep up. */
  readonly dropped: string;
}

/** Ends when the reader goes away or does not keep up; or, without a message, when the service stops. */
export async function pushFeed<Item>(
  service: HttpService,
  response: ServerResponse,
  push: Push<Item>,
): Promise<void> {
  using wait = new ClientWait(service, response);
  using reader = push.follow();
  const { text, items } = push.before?.() ?? { text: "", items: [] };
  const signal = AbortSignal.any([wait.signal, reader.behind]);
  if (!beginPush(response, "text/event-stream")) return;
  if (text !== "") await writeWithBackpressure(response, [text], signal);
  for await (const some of slicesOf(items, reader, push, signal)) {
    const written = some.length > 0 ? push.written(some) : QUIET;
    await writeWithBackpressure(response, [written], signal);
    if (some.length > 0) await pause(service.engine.realClock, push.paceMs, signal);
  }
  if (reader.behind.aborted) drop(response, push.dropped);
  else response.end();
}

/** What is to be written one after another; an empty slice when nothing happened for a while. */
async function* slicesOf<Item>(
  items: readonly Item[],
  reader: FeedReader<Item>,
  { goesOn = true }: Push<Item>,
  signal: AbortSignal,
): AsyncGenerator<readonly Item[], void, undefined> {
  for (let at = 0; at < items.length && !signal.aborted; at += SLICE)
    yield items.slice(at, at + SLICE);
  if (!goesOn) return;
  while (!signal.aborted) {
    const happened = await reader.next(signal);
    if (!signal.aborted) yield happened;
  }
}

async function pause(clock: Clock, forMs: number | undefined, signal: AbortSignal): Promise<void> {
  if (forMs === undefined || signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = () => resolve();
  const disarm = clock.wakeAt(clock.now() + forMs, wake);
  signal.addEventListener("abort", wake, { once: true });
  await promise;
  disarm();
  signal.removeEventListener("abort", wake);
}

/** Its socket is full: it may read what was written and the message, within a limited time. */
function drop(response: ServerResponse, dropped: string): void {
  const timer = setTimeout(() => response.destroy(), GRACE_MS);
  response.once("close", () => clearTimeout(timer));
  response.end(`event: dropped\ndata: ${JSON.stringify({ error: dropped })}\n\n`);
}
