/** The far end of the upload row: answers an upload in parts as S3 does, and stores nothing. */
import { once } from "node:events";
import { createServer } from "node:http";
import { answerQuestions } from "../asking.ts";

const server = createServer((request, response) => {
  const query = new URL(request.url ?? "", "http://sink").searchParams;
  let receivedBytes = 0;
  request.on("data", (piece: Buffer) => (receivedBytes += piece.byteLength));
  request.on("end", () => {
    if (request.method === "PUT") {
      response.setHeader("etag", `"${receivedBytes}"`).end();
    } else if (query.has("uploads")) {
      const id = "<UploadId>sink</UploadId>";
      response.end(`<InitiateMultipartUploadResult>${id}</InitiateMultipartUploadResult>`);
    } else {
      const etag = "<ETag>sink</ETag>";
      response.end(`<CompleteMultipartUploadResult>${etag}</CompleteMultipartUploadResult>`);
    }
  });
});

answerQuestions(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The sink has no port.");
  return `http://127.0.0.1:${address.port}`;
});
