/** `GET /emulator/events`: every change of state as it happens, as server-sent events; `?endpointId=` for one endpoint only. */
import type { ServerResponse } from "node:http";
import { z } from "zod";
import { invalidRequest } from "../../core/service-error.ts";
import type { ServiceEvent } from "../../engine/event-feed.ts";
import { EventReader } from "../../engine/event-reader.ts";
import { ClientWait } from "../client-wait.ts";
import type { Call, Operation } from "../operation.ts";
import { writePaced } from "../paced-write.ts";
import { iso } from "./clock-body.ts";

/** While nothing happens this keeps intermediaries from closing the connection. */
const QUIET = ": nothing happened\n\n";

/** So long a reader that was dropped has to take what was written for it. */
const GRACE_MS = 5_000;

const DROPPED = `event: dropped\ndata: ${JSON.stringify({
  error:
    "events came faster than they were read, so some are lost; ask for the states and follow again",
})}\n\n`;

export const events: Operation = {
  methods: ["GET"],
  path: "/emulator/events",
  body: "skipped",
  access: "admin",
  contract: {
    tag: "emulator",
    query: z.object({
      endpointId: z.string().optional().meta({ description: "Leaves out other endpoints." }),
    }),
    answers: {
      200: {
        description: "Every change of state as it happens.",
        content: {
          "text/event-stream": "Events `job`, `worker`, `endpoint`, `clock` and `dropped`.",
        },
      },
    },
  },
  async perform(call) {
    const { endpointId } = call.query;
    if (endpointId !== undefined && typeof endpointId !== "string") {
      throw invalidRequest(["endpointId must be one id of an endpoint"]);
    }
    return { flow: (response) => push(call, endpointId, response) };
  },
};

/** Ends when the reader goes away, when it does not keep up, or without a word when the service stops. */
async function push(
  { service }: Call<unknown>,
  endpointId: string | undefined,
  response: ServerResponse,
): Promise<void> {
  using wait = new ClientWait(service, response);
  using reader = new EventReader(service.engine, endpointId);
  const signal = AbortSignal.any([wait.signal, reader.behind]);
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  });
  response.flushHeaders();
  while (!signal.aborted) {
    const happened = await reader.next(signal);
    if (signal.aborted) break;
    await writePaced(response, [happened.map(frame).join("") || QUIET], signal);
  }
  if (reader.behind.aborted) letGo(response);
  else response.end();
}

/** Its socket is full: it may read what is there and the note, but the connection does not wait for that for ever. */
function letGo(response: ServerResponse): void {
  const timer = setTimeout(() => response.destroy(), GRACE_MS);
  response.once("close", () => clearTimeout(timer));
  response.end(DROPPED);
}

function frame({ at, type, ...change }: ServiceEvent): string {
  return `event: ${type}\ndata: ${JSON.stringify({ at: iso(at), ...change })}\n\n`;
}
