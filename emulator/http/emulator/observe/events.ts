/** `GET /emulator/events`: all changes of state as they happen, as server-sent events; `?endpointId=` selects one endpoint. */
import { z } from "zod";
import {
  endpointIdParameter,
  flagParameter,
  parse,
  parseFlag,
} from "../../../core/input/query-parameters.ts";
import type { EventFeed, ServiceEvent } from "../../../engine/observe/event-feed.ts";
import { FeedReader } from "../../../engine/observe/feed-reader.ts";
import type { AskReplica, Told } from "../../replicas/followed-replica.ts";
import { FollowedReplicas } from "../../replicas/followed-replicas.ts";
import type { Operation } from "../../operation/operation.ts";
import type { Ownership } from "../../../store/ownership.ts";
import type { HttpService } from "../../operation/service.ts";
import { MergedEvents, positionsIn } from "./merged-events.ts";
import { iso } from "../../../core/time/iso.ts";
import { type Push, pushFeed } from "./push-feed.ts";

const DROPPED =
  "some events are lost because they were not read fast enough; read the states and follow again";

/** Minimum interval between joined frames (real time). */
const JOINED_EVERY_MS = 100;

const afterParameter = z.string({ error: "must be one id of an event" }).optional().meta({
  description: "Id of an event: the stream begins after it. `Last-Event-ID` goes first.",
});

export const events: Operation = {
  methods: ["GET"],
  path: "/emulator/events",
  owner: "any",
  access: "admin",
  contract: {
    tag: "emulator",
    query: z.object({
      endpointId: endpointIdParameter,
      after: afterParameter,
      joined: flagParameter("True joins close events into a `batch`."),
    }),
    answers: {
      200: {
        description: "All changes of state as they happen.",
        content: {
          "text/event-stream":
            "Events `job`, `attempt`, `worker`, `scale`, `endpoint`, `webhook` and `clock`, or `batch` of these; `reset`, `replica` and `dropped`.",
        },
      },
    },
  },
  async perform({ service, query, request, askReplica }) {
    const { events: feed, realClock } = service.engine;
    const endpointId = parse(query, "endpointId", endpointIdParameter);
    const isJoined = parseFlag(query, "joined");
    const afterQuery = parse(query, "after", afterParameter);
    const lastEventId = request.headers["last-event-id"];
    const after = typeof lastEventId === "string" && lastEventId !== "" ? lastEventId : afterQuery;
    const { ownership } = service;
    if (askReplica !== undefined && ownership !== undefined) {
      const all = { askReplica, ownership, endpointId, isJoined, after };
      return { flow: (response) => pushFeed(service, response, eventsOfAll(service.engine, all)) };
    }
    const isWanted = (event: ServiceEvent) =>
      endpointId === undefined || event.type === "clock" || event.endpointId === endpointId;
    const push: Push<ServiceEvent> = {
      follow: () =>
        new FeedReader(realClock, (listener) =>
          feed.follow((event) => {
            if (isWanted(event)) listener(event);
          }),
        ),
      before: () => beginning(feed, after, isWanted),
      written: isJoined ? batchOf(feed) : framesOf(feed),
      paceMs: isJoined ? JOINED_EVERY_MS : undefined,
      dropped: DROPPED,
    };
    return { flow: (response) => pushFeed(service, response, push) };
  },
};

interface AllEventsQuery {
  readonly askReplica: AskReplica;
  readonly ownership: Ownership;
  readonly endpointId: string | undefined;
  readonly isJoined: boolean;
  readonly after: string | undefined;
}

function eventsOfAll(
  { clock, realClock }: HttpService["engine"],
  { askReplica: ask, ownership, endpointId, isJoined, after }: AllEventsQuery,
): Push<Told> {
  const there = ownership.replicas();
  const replicas = there.map(({ id }) => id);
  const positions = after === undefined ? undefined : positionsIn(after, replicas);
  const self = ownership.self.id;
  const merged = new MergedEvents({ clock, self, replicas, positions, isJoined });
  const query = new URLSearchParams(endpointId === undefined ? {} : { endpointId });
  const url = `/emulator/events?${query.toString()}`;
  const isLost = after !== undefined && positions === undefined;
  return {
    follow: () =>
      new FollowedReplicas(there, {
        ownership,
        realClock,
        ask,
        requestFor: (lastEventId) => ({ url, lastEventId }),
        lastEventIds: positions,
      }),
    before: () => ({ text: isLost ? merged.reset() : "", items: [] }),
    written: (told) => merged.written(told),
    paceMs: isJoined ? JOINED_EVERY_MS : undefined,
    dropped: DROPPED,
  };
}

/** The missed events. A new reader, or one with missed events that are no longer kept, gets its position only. */
function beginning(
  feed: EventFeed,
  after: string | undefined,
  isWanted: (event: ServiceEvent) => boolean,
) {
  const id = `id: ${feed.idOf(feed.newest)}\n`;
  if (after === undefined) return { text: `${id}\n`, items: [] };
  const missed = feed.since(after);
  return "gone" in missed
    ? { text: `event: reset\n${id}data: ${JSON.stringify({ reason: missed.gone })}\n\n`, items: [] }
    : { text: "", items: missed.events.filter(isWanted) };
}

/** Writes one frame per event. Members set to undefined are not written; a copy without them would take twice the time. */
function framesOf(feed: EventFeed): Push<ServiceEvent>["written"] {
  return (happened) => {
    const at = instants();
    return happened
      .map((event) => {
        const data = JSON.stringify({
          ...event,
          at: at(event.at),
          type: undefined,
          serial: undefined,
        });
        return `event: ${event.type}\nid: ${feed.idOf(event.serial)}\ndata: ${data}\n\n`;
      })
      .join("");
  };
}

/** Writes one frame for all events. */
function batchOf(feed: EventFeed): Push<ServiceEvent>["written"] {
  return (happened) => {
    const at = instants();
    const data = happened.map((event) => ({
      ...event,
      id: feed.idOf(event.serial),
      at: at(event.at),
      serial: undefined,
    }));
    return `event: batch\nid: ${data.at(-1)?.id}\ndata: ${JSON.stringify(data)}\n\n`;
  };
}

/** Formats moments; neighbours are often equal, so the last text is kept. */
function instants(): (at: number) => string {
  let last = Number.NaN;
  let text = "";
  return (at) => {
    if (at !== last) [last, text] = [at, iso(at)];
    return text;
  };
}
