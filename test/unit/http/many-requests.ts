/** Many requests at once or one after the other, for tests of rate limits. */
import { once } from "node:events";
import type { Socket } from "node:net";
import { expect } from "vitest";
import { KEY, type TestHttp } from "./http-harness.ts";

/** Options of a request with a valid key. */
export const HEAD = `host: x\r\nauthorization: ${KEY}\r\n`;

/** Calls over one connection, `atOnce` at a time; returns the statuses. */
export async function burst(
  service: TestHttp,
  method: string,
  path: string,
  count: number,
  atOnce = 10,
  body = "",
): Promise<ReadonlySet<string>> {
  const socket = (await service.socket("")).setEncoding("utf8");
  const statuses: string[] = [];
  let text = "";
  socket.on("data", (piece: string) => {
    text += piece;
    let read = 0;
    for (const { 0: line, 1: status = "", index } of text.matchAll(/HTTP\/1\.1 (\d{3})/g)) {
      statuses.push(status);
      read = index + line.length;
    }
    // A status line may be cut anywhere.
    text = text.slice(Math.max(read, text.length - "HTTP/1.1 200".length));
  });
  const one = `${method} ${path} HTTP/1.1\r\n${HEAD}content-length: ${body.length}\r\n\r\n${body}`;
  for (let sent = 0; sent < count;) {
    const next = Math.min(count - sent, atOnce);
    sent += next;
    socket.write(one.repeat(next));
    while (statuses.length < sent) await once(socket, "data");
  }
  socket.destroy();
  return new Set(statuses);
}

/** Admitted requests without a body, each on its own connection. */
export async function held(
  service: TestHttp,
  method: string,
  path: string,
  count: number,
): Promise<readonly Socket[]> {
  const text = `${method} ${path} HTTP/1.1\r\n${HEAD}expect: 100-continue\r\ncontent-length: 9\r\n\r\n`;
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = await service.socket(text);
      const [answer] = (await once(socket, "data")) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 100 /);
      return socket;
    }),
  );
}
