/**
 * The events of all replicas as one stream. An id of the stream lists the last event of each replica, so that a reader can go
 * on after it at any replica.
 */
import type { Clock } from "../../../core/time/clock.ts";
import type { EventFrame } from "../../../core/observe/event-frames.ts";
import type { Told } from "../../replicas/followed-replica.ts";
import { iso } from "../../../core/time/iso.ts";

/** Types of events that every replica sends: only one replica's are passed on. */
const OF_ALL = new Set(["endpoint", "clock"]);

const OTHERS =
  "the replicas have changed, or the event is not one of theirs: read the states, and follow from here";

/** Last event id of each replica, by the replica's id. The first replica's shared events are passed on. */
export type Positions = ReadonlyMap<string, string>;

/** Undefined unless the id names exactly these replicas. */
export function positionsIn(id: string, replicas: readonly string[]): Positions | undefined {
  const positions = new Map(
    id.split(",").map((each): [string, string] => {
      const at = each.indexOf("/");
      return [each.slice(0, at), each.slice(at + 1)];
    }),
  );
  const areThese = replicas.every((replica) => Boolean(positions.get(replica)));
  return areThese && positions.size === replicas.length ? positions : undefined;
}

export interface MergedEventsOptions {
  readonly clock: Pick<Clock, "now">;
  /** The replica that answers the reader. */
  readonly self: string;
  /** Replicas that are followed from the beginning. */
  readonly replicas: readonly string[];
  /** Positions to go on from; undefined: only new events. */
  readonly positions: Positions | undefined;
  readonly isJoined: boolean;
}

export class MergedEvents {
  readonly #options: MergedEventsOptions;
  readonly #positions: Map<string, string>;
  #ofAll: string;
  /** Replicas with an unknown position. */
  readonly #unknown: Set<string>;
  /** Replicas that may have sent events before they were followed. */
  readonly #late = new Set<string>();

  constructor(options: MergedEventsOptions) {
    const { positions = new Map<string, string>(), replicas, self } = options;
    this.#options = options;
    this.#positions = new Map(positions);
    [this.#ofAll = self] = positions.keys();
    this.#unknown = new Set(replicas.filter((id) => !positions.has(id)));
  }

  /** A frame that asks the reader to read the states anew. */
  reset(reason = OTHERS): string {
    return `event: reset\n${this.#idLine()}data: ${JSON.stringify({ reason })}\n\n`;
  }

  written(told: readonly Told[]): string {
    let text = "";
    let batch: string[] = [];
    let lastId = "";
    const endBatch = () => {
      if (batch.length > 0) text += `event: batch\n${lastId}data: [${batch.join(",")}]\n\n`;
      batch = [];
    };
    for (const each of told) {
      const event = "note" in each ? this.#noted(each) : this.#told(each.replica, each.frame);
      if (typeof event === "object" && this.#options.isJoined) {
        lastId = this.#idLine();
        const head = { type: event.type, id: this.#id() };
        batch.push(`${JSON.stringify(head).slice(0, -1)},${event.data.slice(1)}`);
        continue;
      }
      endBatch();
      if (typeof event === "string") text += event;
      else if (event) text += `event: ${event.type}\n${this.#idLine()}data: ${event.data}\n\n`;
    }
    endBatch();
    return text;
  }

  #told(replica: string, frame: EventFrame): string | EventFrame | undefined {
    const isKnown = this.#positions.has(replica);
    if (frame.id !== undefined) this.#positions.set(replica, frame.id);
    if (frame.type === "reset") return this.reset(reasonIn(frame.data));
    if (frame.type === "message") return this.#stands(replica, isKnown);
    return OF_ALL.has(frame.type) && replica !== this.#ofAll ? undefined : frame;
  }

  /** Sends the reader its position once those of all replicas are known. */
  #stands(replica: string, isKnown: boolean): string | undefined {
    if (this.#late.has(replica) && !isKnown) return this.reset();
    this.#unknown.delete(replica);
    return this.#unknown.size === 0 ? `${this.#idLine()}\n` : undefined;
  }

  #noted({ replica, note }: Extract<Told, { readonly note: unknown }>): string {
    if (note === "came") {
      this.#late.add(replica);
      return "";
    }
    if (note === "gone") {
      this.#positions.delete(replica);
      this.#unknown.delete(replica);
      if (this.#ofAll === replica) this.#ofAll = this.#options.self;
      return this.reset();
    }
    const at = iso(this.#options.clock.now());
    const said = `event: replica\ndata: ${JSON.stringify({ at, replica, state: note })}\n\n`;
    if (note === "back") return said;
    this.#late.add(replica);
    const isLast = this.#unknown.delete(replica) && this.#unknown.size === 0;
    return isLast ? `${said}${this.#idLine()}\n` : said;
  }

  /** The id, beginning with the replica whose shared events are passed on. */
  #id(): string {
    const ids = [...this.#positions.keys()];
    const ordered = [this.#ofAll, ...ids.filter((id) => id !== this.#ofAll)];
    return ordered
      .flatMap((id) => {
        const position = this.#positions.get(id);
        return position === undefined ? [] : [`${id}/${position}`];
      })
      .join(",");
  }

  #idLine(): string {
    return this.#positions.size === 0 ? "" : `id: ${this.#id()}\n`;
  }
}

function reasonIn(data: string): string {
  return (JSON.parse(data) as { readonly reason: string }).reason;
}
