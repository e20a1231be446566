/** Pushes the items of a feed to a client as server-sent events, as long as the client keeps up. */
import type { ServerResponse } from "node:http";
import type { Clock } from "../../../core/time/clock.ts";
import type { FeedReader } from "../../../engine/observe/feed-reader.ts";
import { ClientWait } from "../../operation/requests/client-wait.ts";
import { beginPush } from "../../operation/answers/begin-push.ts";
import { writeWithBackpressure } from "../../operation/answers/write-with-backpressure.ts";
import { forwardedRequestOf } from "../../operation/forwarded-request.ts";
import type { HttpService } from "../../operation/service.ts";

/** Sent while nothing happens, so that proxies keep the connection open. */
const QUIET = ": nothing happened\n\n";

/** Time that a dropped reader has to read what was already written, ms. */
const GRACE_MS = 5_000;

/** Maximum number of older items per write. */
const SLICE = 1_000;

type Reader<Item> = Disposable & Pick<FeedReader<Item>, "behind" | "next">;

interface First<Item> {
  readonly text: string;
  readonly items: readonly Item[];
  readonly after?: string;
}

export interface Push<Item> {
  /** Begins to follow the feed: later items are pushed. */
  readonly follow: () => Reader<Item>;
  readonly before?: () => First<Item>;
  /** Whether to go on after the older items; default: until the reader goes away. */
  readonly goesOn?: () => boolean;
  readonly written: (items: readonly Item[]) => string;
  /** Minimum interval between two writes of items (real time); default: none. */
  readonly paceMs?: number | undefined;
  /** Message for a reader that did not keep up; absent: the stream ends, and its reader knows where to go on. */
  readonly dropped?: string;
}

/** Pushes until the reader goes away or does not keep up, or until the service stops; the latter without a message. */
export async function pushFeed<Item>(
  service: HttpService,
  response: ServerResponse,
  push: Push<Item>,
): Promise<void> {
  using wait = new ClientWait(service, response);
  using reader = push.follow();
  const first = push.before?.();
  const signal = AbortSignal.any([wait.signal, reader.behind]);
  if (!beginPush(response, "text/event-stream")) return;
  for await (const some of textsOf(first, reader, push, signal)) {
    await writeWithBackpressure(response, [some.text], signal);
    if (some.isPaced) await pause(service.engine.realClock, push.paceMs, signal);
  }
  if (reader.behind.aborted) drop(response, push.dropped);
  else response.end();
}

interface Text {
  readonly text: string;
  /** True if the text has items. */
  readonly isPaced: boolean;
}

async function* textsOf<Item>(
  { text, items, after = "" }: First<Item> = { text: "", items: [] },
  reader: Reader<Item>,
  { goesOn = () => true, written }: Push<Item>,
  signal: AbortSignal,
): AsyncGenerator<Text, void, undefined> {
  if (text !== "") yield { text, isPaced: false };
  for (let at = 0; at < items.length && !signal.aborted; at += SLICE)
    yield { text: written(items.slice(at, at + SLICE)), isPaced: true };
  if (after !== "") yield { text: after, isPaced: false };
  while (!signal.aborted && goesOn()) {
    const happened = await reader.next(signal);
    if (signal.aborted) return;
    const told = happened.length > 0 ? written(happened) : QUIET;
    if (told !== "") yield { text: told, isPaced: happened.length > 0 };
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

/**
 * Drops a reader with a full socket. It may read what was written and the message, within a limited time. A reader that is
 * another replica tells its own reader.
 */
function drop(response: ServerResponse, dropped: string | undefined): void {
  if (forwardedRequestOf(response.req)?.isShare === true) {
    response.destroy();
    return;
  }
  const timer = setTimeout(() => response.destroy(), GRACE_MS);
  response.once("close", () => clearTimeout(timer));
  const error = dropped && `event: dropped\ndata: ${JSON.stringify({ error: dropped })}\n\n`;
  response.end(error);
}
