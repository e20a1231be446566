/** `GET /emulator/logs`: the newest lines of the log, followed by new ones, as server-sent events. */
import { z } from "zod";
import { jsonLine } from "../../../core/observe/log/json-line.ts";
import {
  endpointIdParameter,
  flagParameter,
  parse,
  parseFlag,
  tailParameter,
} from "../../../core/input/query-parameters.ts";
import { FeedReader } from "../../../engine/observe/feed-reader.ts";
import type { Clock } from "../../../core/time/clock.ts";
import type { Ownership } from "../../../store/ownership.ts";
import type { LoggedLine } from "../../../engine/observe/log-feed.ts";
import { forwardedRequestOf } from "../../operation/forwarded-request.ts";
import type { AskReplica, Told } from "../../replicas/followed-replica.ts";
import {
  FollowedReplicas,
  type FollowedReplicasOptions,
} from "../../replicas/followed-replicas.ts";
import type { Operation } from "../../operation/operation.ts";
import { KEPT, MergedLogs } from "./merged-logs.ts";
import { type Push, pushFeed } from "./push-feed.ts";

const DROPPED = "some lines are lost because they were not read fast enough; ask for them again";

export const logs: Operation = {
  methods: ["GET"],
  path: "/emulator/logs",
  owner: "any",
  access: "admin",
  contract: {
    tag: "emulator",
    query: z.object({
      endpointId: endpointIdParameter,
      tail: tailParameter,
      ended: flagParameter("True ends the answer after the older lines."),
    }),
    answers: {
      200: {
        description: "Lines of the service, of its workers and of their handlers.",
        content: { "text/event-stream": "Events `log` and `dropped`." },
      },
    },
  },
  async perform(call) {
    const { service, query, request, askReplica } = call;
    const { logs: feed, realClock } = service.engine;
    const endpointId = parse(query, "endpointId", endpointIdParameter);
    const tail = parse(query, "tail", tailParameter);
    const isEnded = parseFlag(query, "ended");
    if (askReplica !== undefined && service.ownership !== undefined) {
      const all = { askReplica, ownership: service.ownership, endpointId, tail, isEnded };
      return { flow: (response) => pushFeed(service, response, linesOfAll(realClock, all)) };
    }
    const after = forwardedRequestOf(request)?.isShare === true ? KEPT : "";
    const push: Push<LoggedLine> = {
      follow: () => new FeedReader<LoggedLine>(realClock, (each) => feed.follow(endpointId, each)),
      before: () => ({ text: "", items: feed.newest(tail, endpointId), after }),
      goesOn: () => !isEnded,
      written: (lines) => lines.map(frame).join(""),
      dropped: DROPPED,
    };
    return { flow: (response) => pushFeed(service, response, push) };
  },
};

interface AllLinesQuery {
  readonly askReplica: AskReplica;
  readonly ownership: Ownership;
  readonly endpointId: string | undefined;
  readonly tail: number;
  readonly isEnded: boolean;
}

function linesOfAll(
  realClock: Clock,
  { askReplica: ask, ownership, endpointId, tail, isEnded }: AllLinesQuery,
): Push<Told> {
  const replicas = ownership.replicas();
  const merged = new MergedLogs({
    now: () => realClock.now(),
    tail,
    replicas: replicas.map(({ id }) => id),
  });
  const requestFor: FollowedReplicasOptions["requestFor"] = (_, when) => {
    const query = new URLSearchParams({
      ...(endpointId !== undefined && { endpointId }),
      ...(when === "first" && { tail: String(tail) }),
      // Its older lines were already shown, or are lost.
      ...(when === "again" && { tail: "0" }),
    });
    return { url: `/emulator/logs?${query.toString()}`, lastEventId: undefined };
  };
  return {
    follow: () => new FollowedReplicas(replicas, { ownership, realClock, ask, requestFor }),
    goesOn: () => !(isEnded && merged.isComplete),
    written: (told) => merged.written(told),
    dropped: DROPPED,
  };
}

function frame(line: LoggedLine): string {
  return `event: log\ndata: ${jsonLine(line.entry())}\n`;
}
