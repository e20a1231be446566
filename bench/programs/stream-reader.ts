/** Reads an endless stream from a process of its own, so that the cost of reading is counted separately. */
import { Client, errors } from "undici";
import { z } from "zod";
import { answerQuestions } from "../asking.ts";

const questionShape = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("open"),
    origin: z.string(),
    path: z.string(),
    headers: z.record(z.string(), z.string()),
  }),
  z.object({ kind: z.literal("close") }),
]);

type Opening = Extract<z.infer<typeof questionShape>, { kind: "open" }>;

/** Ends the reading. Returns the number of received bytes. @throws Error if the stream had ended by itself */
let close = async (): Promise<number> => 0;

async function open({ origin, path, headers }: Opening): Promise<void> {
  const client = new Client(origin, { bodyTimeout: 0 });
  const { body, statusCode } = await client.request({ method: "GET", path, headers });
  if (statusCode !== 200) throw new errors.ResponseError(await body.text(), statusCode, {});
  let [bytes, hasEnded] = [0, false];
  body.on("data", (part: Buffer) => (bytes += part.length));
  body.once("end", () => (hasEnded = true));
  close = async () => {
    if (hasEnded) throw new Error(`${path} ended after ${bytes} bytes.`);
    body.on("error", () => undefined);
    await client.destroy();
    return bytes;
  };
}

answerQuestions(async (message) => {
  const question = questionShape.parse(message);
  if (question.kind === "close") return close();
  await open(question);
  return null;
});
