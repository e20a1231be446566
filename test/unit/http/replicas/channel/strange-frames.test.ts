/** A channel throws no error for any frames of the other end: it continues, or is closed. */
import fc from "fast-check";
import { duplexPair } from "node:stream";
import { expect, it } from "vitest";
import { Channel } from "../../../../../emulator/http/replicas/channel/channel.ts";
import {
  FRAME,
  frameHead,
  type FrameKind,
} from "../../../../../emulator/http/replicas/channel/frames.ts";
import { readRequestHead } from "../../../../../emulator/http/replicas/channel/request-head.ts";
import { takeExchange } from "../../../../../emulator/http/replicas/channel/taken-exchange.ts";
import { sized } from "../../../../setup/size.ts";

const OPENING = Buffer.from(
  JSON.stringify({
    ...{ method: "POST", url: "/x", rawHeaders: ["Host", "x"], headers: { host: "x" } },
    ...{ address: "127.0.0.1", isShare: false, waitedMs: 0 },
  }),
);

const frames = fc.array(
  fc.record({
    kind: fc.oneof(fc.constantFrom(...Object.values(FRAME)), fc.integer({ min: 0, max: 255 })),
    id: fc.integer({ min: 1, max: 3 }),
    payload: fc.oneof(fc.constant(OPENING), fc.uint8Array({ maxLength: 8 })),
  }),
  { minLength: 1, maxLength: 30 },
);

/** A channel that answers each exchange when its body has come. */
function answering() {
  const [socket, there] = duplexPair();
  const channel = new Channel(there, (exchange, bytes) => {
    const requestHead = readRequestHead(bytes);
    if (requestHead === undefined) {
      exchange.reset();
      return undefined;
    }
    return takeExchange(exchange, requestHead, (request, response) => {
      request.on("error", () => undefined).resume();
      request.once("end", () => response.end("fine"));
    });
  });
  return { socket: socket.resume(), channel };
}

it("any frames are accepted, or end the channel", async () => {
  const sent = fc.asyncProperty(frames, async (all) => {
    const { socket, channel } = answering();
    for (const { kind, id, payload } of all) {
      const head = frameHead(FRAME.data, id, payload.length);
      head.writeUInt8(kind, 4);
      socket.write(Buffer.concat([head, payload]));
      await new Promise(setImmediate);
    }
    channel.destroy();
    await channel.closed;
  });
  await fc.assert(sent, { numRuns: sized(300, 10_000) });
});

const STRANGE: Readonly<Record<string, readonly (readonly [FrameKind, Buffer])[]>> = {
  "room without a number": [
    [FRAME.open, OPENING],
    [FRAME.room, Buffer.alloc(2)],
  ],
  "a body after its end": [
    [FRAME.open, OPENING],
    [FRAME.end, Buffer.alloc(0)],
    [FRAME.data, Buffer.alloc(1)],
  ],
  "an exchange that is opened twice": [
    [FRAME.open, OPENING],
    [FRAME.open, OPENING],
  ],
};

it.each(Object.entries(STRANGE))("%s ends the channel", async (_, sent) => {
  const { socket, channel } = answering();
  const bytes = sent.flatMap(([kind, payload]) => [frameHead(kind, 1, payload.length), payload]);
  socket.write(Buffer.concat(bytes));
  await channel.closed;
  expect(channel.isOpen).toBe(false);
});
