/** Frames: messages over a socket, however the socket cuts them. */
import { once } from "node:events";
import { Duplex } from "node:stream";
import type { Socket } from "node:net";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { FrameStream } from "../../../../runtime/pipe/frame-stream.ts";
import { WireError } from "../../../../runtime/protocol/wire/wire-error.ts";

/** Two ends, each of which gets what the other one wrote. */
function linked(): [Socket, Socket] {
  const ends: readonly [Duplex, Duplex] = [pipe(() => ends[1]), pipe(() => ends[0])];
  return ends as unknown as [Socket, Socket];
}

function pipe(other: () => Duplex): Duplex {
  return new Duplex({
    read: () => undefined,
    write: (bytes, _, done) => {
      other().push(bytes);
      done();
    },
    final: (done) => {
      other().push(null);
      done();
    },
  });
}

const messages = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 });

it("messages come whole and in order, wherever the bytes are cut", async () => {
  await fc.assert(
    fc.asyncProperty(messages, fc.array(fc.integer({ min: 1, max: 90 })), async (sent, cuts) => {
      const [near, far] = linked();
      const writer = new FrameStream(near);
      for (const message of sent) writer.write(Buffer.from(message));
      writer.end();
      await once(writer, "finish");
      const bytes: Buffer = far.read() ?? Buffer.alloc(0);
      const [source, sink] = linked();
      const reader = new FrameStream(sink);
      const came: unknown[] = [];
      reader.on("data", (message: Buffer) => came.push(new Uint8Array(message)));
      let at = 0;
      for (const cut of [...cuts, bytes.byteLength]) {
        if (at < bytes.byteLength) source.write(bytes.subarray(at, at + cut));
        at += cut;
      }
      source.end();
      await once(reader, "end");
      expect(came).toEqual(sent);
    }),
  );
});

it("a notice comes before anybody wants messages, and those wait", async () => {
  const [near, far] = linked();
  const [writer, reader] = [new FrameStream(near), new FrameStream(far)];
  writer.notify({ token: "t" });
  writer.write(Buffer.from("first"));
  const [notice] = await once(reader, "notice");
  expect(notice).toEqual({ token: "t" });
  expect(far.isPaused()).toBe(true);
  const [message] = await once(reader, "data");
  expect(String(message)).toBe("first");
});

it.each([10, 100_000])("parts of %s bytes are one message", async (size) => {
  const [near, far] = linked();
  const [writer, reader] = [new FrameStream(near), new FrameStream(far)];
  const parts = ["a", "b", "c"].map((fill) => Buffer.alloc(size, fill));
  writer.write(parts);
  const [message] = await once(reader, "data");
  expect(Buffer.concat(parts).equals(message as Buffer)).toBe(true);
});

it("nothing of a message is read before messages are wanted", async () => {
  const [near, far] = linked();
  const reader = new FrameStream(far);
  near.write(Buffer.from([0x00, 0x00, 0xff, 0xff]));
  await new Promise((resolve) => setImmediate(resolve));
  expect(far.isPaused()).toBe(true);
  const message = once(reader, "data");
  near.write(Buffer.alloc(0xffff));
  expect((await message)[0]).toHaveLength(0xffff);
});

it("messages that came before the end are read before it, however late", async () => {
  const [near, far] = linked();
  const [writer, reader] = [new FrameStream(near), new FrameStream(far)];
  for (let n = 0; n < 40; n += 1) writer.write(Buffer.from([n]));
  writer.end();
  await new Promise((resolve) => setImmediate(resolve));
  const came: number[] = [];
  for await (const message of reader) came.push(...(message as Buffer));
  expect(came).toEqual(Array.from({ length: 40 }, (_, n) => n));
});

it("a large message may come byte by byte", async () => {
  const [near, far] = linked();
  const reader = new FrameStream(far);
  const message = once(reader, "data");
  const bytes = Buffer.alloc(300_000, 7);
  near.write(Buffer.from([0x00, 0x04, 0x93, 0xe0]));
  for (let at = 0; at < bytes.byteLength; at += 1) near.write(bytes.subarray(at, at + 1));
  expect((await message)[0]).toEqual(bytes);
});

it("a reader that takes nothing more is sent nothing more", async () => {
  const [near, far] = linked();
  const [writer, reader] = [new FrameStream(near), new FrameStream(far)];
  for (let n = 0; n < 100; n += 1) writer.write(Buffer.alloc(1_000));
  await once(reader, "readable");
  expect(reader.readableLength).toBeLessThanOrEqual(reader.readableHighWaterMark);
  expect(far.isPaused()).toBe(true);
});

it.each([
  ["a message of more than 32 MB", Buffer.from([0x01, 0xe8, 0x48, 0x01])],
  ["a notice of more than 8 KiB", Buffer.from([0x80, 0x00, 0x20, 0x01])],
  ["a notice that is no JSON", Buffer.from([0x80, 0x00, 0x00, 0x01, 0x7b])],
])("%s ends the connection", async (_, bytes) => {
  const [near, far] = linked();
  const reader = new FrameStream(far);
  near.write(bytes);
  const [error] = await once(reader, "error");
  expect(error).toBeInstanceOf(WireError);
  expect(far.destroyed).toBe(true);
});
