/** Sends the load of all HTTP rows from a process of its own, so that its cost is counted separately. */
import { z } from "zod";
import { answerQuestions } from "../asking.ts";
import { churn, churnShape } from "../load/churn.ts";
import { closedLoop, loadShape } from "../load/closed-loop.ts";
import { closeConnections, connectionsTo, type Request, send } from "../load/connections.ts";
import { follow, type Followed } from "../load/follow.ts";

const requestShape = z.object({
  method: z.enum(["GET", "POST"]),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});
const subject = { origin: z.string(), request: requestShape };
const questionShape = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("load"),
    subjects: z.array(z.object(subject)),
    load: loadShape,
    expected: z.string(),
  }),
  z.object({ kind: z.literal("follow"), ...subject, times: z.number() }),
  z.object({
    kind: z.literal("churn"),
    ...subject,
    connections: z.number(),
    churn: churnShape,
  }),
  z.object({ kind: z.literal("leave"), origin: z.string() }),
]);

type Question = z.infer<typeof questionShape>;

async function load(question: Extract<Question, { kind: "load" }>): Promise<unknown> {
  const { subjects, expected } = question;
  const { inFlight } = question.load;
  const slots = Array.from({ length: inFlight }, (_, slot) => {
    const { origin = "", request } = subjects[slot % subjects.length] ?? {};
    return { request, client: connectionsTo(origin, inFlight)[slot] };
  });
  return closedLoop(question.load, async (slot) => {
    const { client, request } = slots[slot] ?? {};
    if (client === undefined || request === undefined)
      throw new RangeError(`There is no connection ${slot}.`);
    const answer = await send(client, request);
    if (!answer.includes(expected)) throw new Error(unexpected(request, answer));
  });
}

async function followAll(question: Extract<Question, { kind: "follow" }>): Promise<Followed[]> {
  const [client] = connectionsTo(question.origin, 1);
  if (client === undefined) throw new RangeError("There is no connection.");
  const followed: Followed[] = [];
  for (let time = 0; time < question.times; time += 1) {
    followed.push(await follow(client, question.request));
  }
  return followed;
}

function unexpected(request: Request, answer: Buffer): string {
  return `${request.path} answered ${answer.subarray(0, 1000).toString()}`;
}

answerQuestions(async (message) => {
  const question = questionShape.parse(message);
  switch (question.kind) {
    case "load":
      return load(question);
    case "follow":
      return followAll(question);
    case "churn": {
      const clients = connectionsTo(question.origin, question.connections);
      return churn(clients, question.request, question.churn);
    }
    case "leave":
      await closeConnections(question.origin);
      return null;
  }
});
