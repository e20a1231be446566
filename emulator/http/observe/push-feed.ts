/** Pushes the items of a feed to a client as server-sent events, as long as the client keeps up. */
import type { ServerResponse } from "node:http";
import type { FeedReader } from "../../engine/observe/feed-reader.ts";
import { ClientWait } from "../requests/client-wait.ts";
import { beginPush } from "../answers/begin-push.ts";
import { writeWithBackpressure } from "../answers/write-with-backpressure.ts";
import type { HttpService } from "../service.ts";

/** Sent while nothing happens, so that proxies keep the connection open. */
const QUIET = ": nothing happened\n\n";

/** How long a reader that was dropped has to read what was written already. */
const GRACE_MS = 5_000;

export interface Push<Item> {
  /** Begins to follow the feed: items from then on are pushed. */
  readonly follow: () => FeedReader<Item>;
  /** Text that is written first. */
  readonly before?: () => string;
  /** False: the answer ends after that text. */
  readonly goesOn?: boolean;
  readonly frame: (item: Item) => string;
  /** The message for a reader that did not keep up. */
  readonly dropped: string;
}

/** Ends when the reader goes away or does not keep up; or, without a message, when the service stops. */
export async function pushFeed<Item>(
  service: HttpService,
  response: ServerResponse,
  { follow, before, goesOn = true, frame, dropped }: Push<Item>,
): Promise<void> {
  using wait = new ClientWait(service, response);
  using reader = follow();
  const signal = AbortSignal.any([wait.signal, reader.behind]);
  if (!beginPush(response, "text/event-stream")) return;
  const first = before?.() ?? "";
  if (first !== "") await writeWithBackpressure(response, [first], signal);
  if (goesOn) await pushItems(response, reader, frame, signal);
  if (reader.behind.aborted) drop(response, dropped);
  else response.end();
}

async function pushItems<Item>(
  response: ServerResponse,
  reader: FeedReader<Item>,
  frame: Push<Item>["frame"],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const happened = await reader.next(signal);
    if (signal.aborted) break;
    await writeWithBackpressure(response, [happened.map(frame).join("") || QUIET], signal);
  }
}

/** Its socket is full: it may read what was written and the message, within a limited time. */
function drop(response: ServerResponse, dropped: string): void {
  const timer = setTimeout(() => response.destroy(), GRACE_MS);
  response.once("close", () => clearTimeout(timer));
  response.end(`event: dropped\ndata: ${JSON.stringify({ error: dropped })}\n\n`);
}
