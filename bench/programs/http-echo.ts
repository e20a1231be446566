/**
 * The far end of the HTTP floors: a bare node:http server with the paths of the job interface. It answers a submission that
 * waits with the submission's body, any other submission with an id, and a stream with the lines that the stream's id
 * describes.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { z } from "zod";
import { answerQuestions } from "../asking.ts";

const submissionShape = z.object({
  input: z.union([
    z.object({ text: z.string() }),
    z.object({ count: z.number(), bytes: z.number() }),
  ]),
});

const server = createServer((request, response) => {
  const stream = /\/stream\/(\d+)x(\d+)$/.exec(request.url ?? "");
  if (stream !== null) {
    void writeLines(response, Number(stream[1]), Number(stream[2]));
    return;
  }
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    const body = Buffer.concat(parts);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(request.url?.endsWith("/run") === true ? ticketFor(body) : body);
  });
});

/** The id describes the stream, if there is one, so that the server need not remember it. */
function ticketFor(body: Buffer): string {
  const { input } = submissionShape.parse(JSON.parse(body.toString()));
  const id = "text" in input ? randomUUID() : `${input.count}x${input.bytes}`;
  return JSON.stringify({ id, status: "IN_QUEUE" });
}

async function writeLines(response: ServerResponse, count: number, bytes: number): Promise<void> {
  const line = `${JSON.stringify({ output: "x".repeat(bytes - 2), metrics: { stream_index: 0 } })}\n`;
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  for (let index = 0; index < count; index += 1) {
    if (!response.write(line)) await once(response, "drain");
  }
  response.end(`${JSON.stringify({ status: "COMPLETED" })}\n`);
}

answerQuestions(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return `http://127.0.0.1:${address.port}`;
});
