// A WebSocket that echoes each message, with just enough of the protocol (RFC 6455) for that.
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** Every WebSocket server appends this to the client's key. */
const PROTOCOL_ID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const CLOSE = 8;
const PING = 9;
const PONG = 10;
const MAX_MESSAGE_BYTES = 10_000_000;

interface Frame {
  /** The first byte: the kind of the frame, and whether it is the last one of its message. */
  readonly first: number;
  readonly payload: Buffer;
  /** The bytes after the frame. */
  readonly rest: Buffer;
}

export function acceptEcho(request: IncomingMessage, socket: Duplex): void {
  const key = request.headers["sec-websocket-key"] ?? "";
  const accept = createHash("sha1")
    .update(key + PROTOCOL_ID)
    .digest("base64");
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  let pieces: Buffer[] = [];
  let size = 0;
  let wanted = 0;
  socket.on("error", () => socket.destroy());
  socket.on("data", (piece: Buffer) => {
    pieces.push(piece);
    size += piece.length;
    if (size > MAX_MESSAGE_BYTES) socket.destroy();
    if (size < wanted) return;
    let unread: Buffer = Buffer.concat(pieces);
    for (let frame = readFrame(unread); frame; frame = readFrame(unread)) {
      answer(socket, frame);
      unread = frame.rest;
    }
    pieces = [unread];
    size = unread.length;
    wanted = sizeOf(unread).end;
  });
}

function answer(socket: Duplex, { first, payload }: Frame): void {
  const kind = first & 15;
  if (kind === CLOSE) socket.end(frameOf(first, payload));
  else if (kind === PING) socket.write(frameOf((first & 240) | PONG, payload));
  else if (kind !== PONG) socket.write(frameOf(first, payload));
}

/** Undefined while the frame is incomplete. Clients mask their payloads. */
function readFrame(bytes: Buffer): Frame | undefined {
  const { start, end } = sizeOf(bytes);
  if (bytes.length < end) return undefined;
  const mask = bytes.subarray(start - 4, start);
  const payload = Buffer.from(bytes.subarray(start, end));
  for (let at = 0; at < payload.length; at += 1)
    payload[at] = (payload[at] ?? 0) ^ (mask[at & 3] ?? 0);
  return { first: bytes[0] ?? 0, payload, rest: bytes.subarray(end) };
}

/** The beginning and end of the frame's payload; undefined while its head is incomplete. */
function sizeOf(bytes: Buffer): { readonly start: number; readonly end: number } {
  const length = (bytes[1] ?? 0) & 127;
  const head = length === 127 ? 14 : length === 126 ? 8 : 6;
  if (bytes.length < head) return { start: head, end: head };
  if (length < 126) return { start: head, end: head + length };
  const long = length === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  return { start: head, end: head + long };
}

/** A server's frames are not masked. */
function frameOf(first: number, payload: Buffer): Buffer {
  const { length } = payload;
  if (length < 126) return Buffer.concat([Buffer.from([first, length]), payload]);
  const head = Buffer.alloc(length < 65_536 ? 4 : 10);
  head[0] = first;
  head[1] = length < 65_536 ? 126 : 127;
  if (length < 65_536) head.writeUInt16BE(length, 2);
  else head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}
