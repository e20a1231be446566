/** `GET /emulator/logs`: the newest lines of the log and those that follow, as server-sent events. */
import { z } from "zod";
import { jsonLine } from "../../core/observe/log/json-line.ts";
import {
  endpointIdParameter,
  flagParameter,
  parse,
  parseFlag,
  tailParameter,
} from "../../core/input/query-parameters.ts";
import { FeedReader } from "../../engine/observe/feed-reader.ts";
import type { LoggedLine } from "../../engine/observe/log-feed.ts";
import { endpointAskedFor, type Operation } from "../operation.ts";
import { pushFeed } from "./push-feed.ts";

const DROPPED = "lines came faster than they were read, so some are lost; ask for them again";

export const logs: Operation = {
  methods: ["GET"],
  path: "/emulator/logs",
  owner: endpointAskedFor,
  access: "admin",
  contract: {
    tag: "emulator",
    query: z.object({
      endpointId: endpointIdParameter,
      tail: tailParameter,
      ended: flagParameter("True ends the answer after the lines that are there."),
    }),
    answers: {
      200: {
        description: "Lines of the service, of its workers and of their handlers.",
        content: { "text/event-stream": "Events `log` and `dropped`." },
      },
    },
  },
  async perform({ service, query }) {
    const { logs: feed, realClock } = service.engine;
    const endpointId = parse(query, "endpointId", endpointIdParameter);
    const tail = parse(query, "tail", tailParameter);
    const goesOn = !parseFlag(query, "ended");
    const push = {
      follow: () => new FeedReader<LoggedLine>(realClock, (each) => feed.follow(endpointId, each)),
      before: () => ({ text: "", items: feed.newest(tail, endpointId) }),
      goesOn,
      written: (lines: readonly LoggedLine[]) => lines.map(frame).join(""),
      dropped: DROPPED,
    };
    return { flow: (response) => pushFeed(service, response, push) };
  },
};

/** The line as the log has it in JSON. */
function frame(line: LoggedLine): string {
  return `event: log\ndata: ${jsonLine(line.entry())}\n`;
}
