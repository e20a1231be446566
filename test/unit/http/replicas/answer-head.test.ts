/** Parsing of the head of another replica's answer. */
import { expect, it } from "vitest";
import { readAnswerHead } from "../../../../emulator/http/replicas/answer-head.ts";

function read(text: string) {
  return readAnswerHead(Buffer.from(text, "latin1"));
}

it("a head is read when it is complete, with the beginning of the body", () => {
  const text =
    "HTTP/1.1 404 Not Here\r\nX-A: \u00e4: b\r\nset-cookie: 1\r\nset-cookie: 2\r\n\r\nbody";
  expect(read(text.slice(0, 40))).toBeUndefined();
  expect(read(text)).toEqual({
    status: 404,
    statusMessage: "Not Here",
    headers: ["X-A", "\u00e4: b", "set-cookie", "1", "set-cookie", "2"],
    isMoved: false,
    end: text.length - 4,
  });
});

it("headers of the replicas' connection are dropped; a close for the client's connection is kept", () => {
  const length = "content-length: 2\r\n";
  const kept = "Connection: keep-alive\r\nKeep-Alive: timeout=72\r\n";
  expect(read(`HTTP/1.1 200 OK\r\n${kept}${length}\r\n`)?.headers).toEqual(["content-length", "2"]);
  const closed = read(`HTTP/1.1 200 OK\r\nconnection: close\r\n${length}\r\n`);
  expect(closed?.headers).toEqual(["content-length", "2", "Connection", "close"]);
  expect(read("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")?.headers).toEqual([]);
});

it("the header by which a replica says that a request belongs elsewhere is for replicas only", () => {
  const head = read("HTTP/1.1 503 Service Unavailable\r\nsv-endpoint-moved: 1\r\n\r\n");
  expect(head).toMatchObject({ isMoved: true, headers: [] });
});
