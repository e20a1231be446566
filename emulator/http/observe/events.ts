/** `GET /emulator/events`: every change of state as it happens, as server-sent events; `?endpointId=` for one endpoint only. */
import { z } from "zod";
import { endpointIdParameter, parse } from "../../core/input/query-parameters.ts";
import type { Uses } from "../../engine/context.ts";
import type { ServiceEvent } from "../../engine/observe/event-feed.ts";
import { FeedReader } from "../../engine/observe/feed-reader.ts";
import type { Operation } from "../operation.ts";
import { iso } from "../time/clock-body.ts";
import { pushFeed } from "./push-feed.ts";

const DROPPED =
  "events came faster than they were read, so some are lost; ask for the states and follow again";

export const events: Operation = {
  methods: ["GET"],
  path: "/emulator/events",
  access: "admin",
  contract: {
    tag: "emulator",
    query: z.object({ endpointId: endpointIdParameter }),
    answers: {
      200: {
        description: "Every change of state as it happens.",
        content: {
          "text/event-stream": "Events `job`, `worker`, `endpoint`, `clock` and `dropped`.",
        },
      },
    },
  },
  async perform({ service, query }) {
    const endpointId = parse(query, "endpointId", endpointIdParameter);
    const follow = () => followed(service.engine, endpointId);
    return {
      flow: (response) => pushFeed(service, response, { follow, frame, dropped: DROPPED }),
    };
  },
};

/** All endpoints, or only what concerns `endpointId`; an advance of the clock concerns all. */
function followed(
  { realClock, events: feed }: Uses<"events" | "realClock">,
  endpointId: string | undefined,
): FeedReader<ServiceEvent> {
  return new FeedReader(realClock, (listener) =>
    feed.follow((event) => {
      const isWanted =
        endpointId === undefined || event.type === "clock" || event.endpointId === endpointId;
      if (isWanted) listener(event);
    }),
  );
}

function frame({ at, type, ...change }: ServiceEvent): string {
  return `event: ${type}\ndata: ${JSON.stringify({ at: iso(at), ...change })}\n\n`;
}
