/** Pushes what happens to a client as server-sent events, for as long as both keep up. */
import type { ServerResponse } from "node:http";
import type { FeedReader } from "../../engine/observe/feed-reader.ts";
import { ClientWait } from "../requests/client-wait.ts";
import { beginPush } from "../answers/begin-push.ts";
import { writeWithBackpressure } from "../answers/write-with-backpressure.ts";
import type { HttpService } from "../service.ts";

/** While nothing happens this keeps intermediaries from closing the connection. */
const QUIET = ": nothing happened\n\n";

/** So long a reader that was dropped has to take what was written for it. */
const GRACE_MS = 5_000;

export interface Push<Item> {
  /** Begins to follow: what happens from then on is pushed. */
  readonly follow: () => FeedReader<Item>;
  /** What is written first, if anything. */
  readonly before?: () => string;
  /** False ends after what is written first. */
  readonly goesOn?: boolean;
  readonly frame: (item: Item) => string;
  /** Told to a reader that did not keep up. */
  readonly dropped: string;
}

/** Ends when the reader goes away, when it does not keep up, or without a word when the service stops. */
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
  if (goesOn) await pushNews(response, reader, frame, signal);
  if (reader.behind.aborted) letGo(response, dropped);
  else response.end();
}

async function pushNews<Item>(
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

/** Its socket is full: it may read what is there and the note, but the connection does not wait for that for ever. */
function letGo(response: ServerResponse, dropped: string): void {
  const timer = setTimeout(() => response.destroy(), GRACE_MS);
  response.once("close", () => clearTimeout(timer));
  response.end(`event: dropped\ndata: ${JSON.stringify({ error: dropped })}\n\n`);
}
