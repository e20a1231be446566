/** Makes bytes of a peer: valid messages of HTTP/2, gRPC, TLS, HTTP/1 and the frames of workers, and damaged ones. */
import { Buffer } from "node:buffer";
import { Duplex } from "node:stream";
import { connect } from "node:tls";
import type { SeededRandom } from "../crash/seeded-random.ts";

export function pick<T>(random: SeededRandom, values: readonly T[]): T {
  const value = values[random.integer(0, values.length - 1)];
  if (value === undefined) throw new Error("there is nothing to pick from");
  return value;
}

export function noise(random: SeededRandom, max: number): Buffer {
  return Buffer.from(Array.from({ length: random.integer(0, max) }, () => random.integer(0, 255)));
}

/** Changes, removes or inserts some bytes. */
export function damaged(random: SeededRandom, bytes: Buffer): Buffer {
  let result = Buffer.from(bytes);
  for (let left = random.integer(1, 4); left > 0 && result.length > 0; left -= 1) {
    const at = random.integer(0, result.length - 1);
    const kind = random.integer(0, 3);
    if (kind === 0) result[at] = random.integer(0, 255);
    else if (kind === 1) result = result.subarray(0, at);
    else {
      const more = kind === 2 ? noise(random, 16) : result.subarray(at, at + 40);
      result = Buffer.concat([result.subarray(0, at), more, result.subarray(at)]);
    }
  }
  return result;
}

export const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** Kinds of HTTP/2 frames, by name. */
const FRAME = { data: 0, headers: 1, reset: 3, settings: 4 } as const;
const END_STREAM = 1;
const END_HEADERS = 4;
const ALL_KINDS = 12;

function frame(kind: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(kind, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A header field in HPACK's form, in no table and not compressed. */
function field(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, "latin1");
  const length = [Math.min(bytes.length, 127)];
  for (let rest = bytes.length - 127; rest >= 0; rest = rest < 128 ? -1 : rest >> 7)
    length.push(rest < 128 ? rest : (rest & 127) | 128);
  return Buffer.concat([Buffer.from(length), bytes]);
}

const SESSION_PATH = "/sv.worker.v1.WorkerService/Session";

export interface Caller {
  readonly token: string;
  readonly instance: string;
}

/** The headers of a session, mostly with an invalid one among them. */
function sessionHeaders(random: SeededRandom, caller: Caller | undefined): Buffer {
  const odd = <T>(usual: T, others: readonly T[]) =>
    random.integer(0, 5) > 0 ? usual : pick(random, others);
  const strange: [string, string][] = [
    ["grpc-timeout", pick(random, ["1n", "99999999H", "-1S", "x", "0m"])],
    ["grpc-encoding", pick(random, ["gzip", "deflate", "identity", "br", ""])],
    ["strange-bin", noise(random, 20).toString("latin1")],
    ["x", "y".repeat(random.integer(0, 9_000))],
    ["authorization", noise(random, 30).toString("latin1")],
    ["UPPER", "case"],
    ["connection", "close"],
  ];
  const fields: [string, string][] = [
    [":method", odd("POST", ["GET", "CONNECT", "", "PRI"])],
    [":scheme", odd("http", ["https", ""])],
    [":authority", "emulator"],
    [":path", odd(SESSION_PATH, ["/nothing", "", "*", "/\x80\xff", "/x?".padEnd(4_000, "y")])],
    ["content-type", odd("application/grpc", ["text/html", "application/grpc+json", ""])],
    ["te", "trailers"],
  ];
  if (caller) {
    fields.push(["authorization", `Bearer ${caller.token}`]);
    fields.push(["worker-instance", caller.instance]);
  }
  while (random.integer(0, 3) === 0) fields.push(pick(random, strange));
  return Buffer.concat(fields.map(([name, value]) => field(name, value)));
}

/** A message of protocol buffers, with known and unknown fields. */
function message(random: SeededRandom, depth = 0): Buffer {
  const parts: Buffer[] = [];
  for (let left = random.integer(0, 5); left > 0; left -= 1) {
    const kind = pick(random, [0, 0, 2, 2, 2, 1, 5, 3]);
    parts.push(Buffer.from([(random.integer(0, 12) << 3) | kind]));
    if (kind === 0) parts.push(varint(random.integer(0, 2) > 0 ? random.integer(0, 9) : 2 ** 40));
    else if (kind === 1) parts.push(Buffer.alloc(8, 255));
    else if (kind === 5) parts.push(Buffer.alloc(4, 255));
    else if (kind === 2) {
      const inner = depth < 3 ? message(random, depth + 1) : noise(random, 20);
      parts.push(varint(random.integer(0, 9) > 0 ? inner.length : 2 ** 31), inner);
    }
  }
  return Buffer.concat(parts);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

/** `Hello` of the current protocol, `Ready`, and credit. */
const GREETING = Buffer.from([0x0a, 2, 8, 2, 0x12, 2, 8, 1, 0x48, 1]);

function grpcMessage(random: SeededRandom): Buffer {
  const usual = random.integer(0, 3);
  const body = usual === 0 ? GREETING : usual < 3 ? message(random) : damaged(random, GREETING);
  const head = Buffer.alloc(5);
  head.writeUInt8(random.integer(0, 9) > 0 ? 0 : random.integer(1, 255), 0);
  head.writeUInt32BE(random.integer(0, 9) > 0 ? body.length : random.integer(0, 2 ** 32 - 1), 1);
  return Buffer.concat([head, body]);
}

/** A frame of a worker on the machine: mostly with its own length, and a notice in one of some cases. */
function prefixed(random: SeededRandom, body: Buffer, isNotice: boolean): Buffer {
  const head = Buffer.alloc(4);
  const length = random.integer(0, 9) > 0 ? body.length : random.integer(0, 2 ** 31 - 1);
  head.writeUInt32BE(length + (isNotice ? 2 ** 31 : 0));
  return Buffer.concat([head, body]);
}

/** The bytes of a worker on the machine of the service: its preface, a notice of who it is, and messages. */
export function workerFrames(random: SeededRandom, caller: Caller | undefined): Buffer[] {
  const opener = caller ?? { token: noise(random, 30).toString("latin1"), instance: 7 };
  const notices = [JSON.stringify(opener), JSON.stringify(opener), "null", "{", "x".repeat(9_000)];
  const frames = [
    Buffer.from(random.integer(0, 9) > 0 ? "SVF1" : "SVF2"),
    prefixed(random, Buffer.from(pick(random, notices)), random.integer(0, 9) > 0),
  ];
  for (let left = random.integer(0, 9); left > 0; left -= 1) {
    const body = pick(random, [GREETING, message(random), damaged(random, GREETING)]);
    frames.push(prefixed(random, body, random.integer(0, 9) === 0));
  }
  return frames;
}

/** Bytes after the preface of a connection: sessions, their messages, resets, and frames of all kinds. */
export function http2Frames(random: SeededRandom, caller: Caller | undefined): Buffer[] {
  const frames = [frame(FRAME.settings, 0, 0, Buffer.alloc(0))];
  const streams = random.integer(1, random.integer(0, 3) > 0 ? 3 : 40);
  for (let stream = 1; stream < streams * 2; stream += 2) {
    const flags = random.integer(0, 5) > 0 ? END_HEADERS : random.integer(0, 255);
    frames.push(frame(FRAME.headers, flags, stream, sessionHeaders(random, caller)));
    for (let left = random.integer(0, 3); left > 0; left -= 1) {
      const ends = random.integer(0, 4) === 0 ? END_STREAM : 0;
      frames.push(frame(FRAME.data, ends, stream, grpcMessage(random)));
    }
    if (random.integer(0, 2) === 0)
      frames.push(frame(FRAME.reset, 0, stream, Buffer.from([0, 0, 0, random.integer(0, 13)])));
    if (random.integer(0, 3) === 0) {
      const kind = random.integer(0, ALL_KINDS);
      const of = pick(random, [0, stream, random.integer(0, 99)]);
      frames.push(frame(kind, random.integer(0, 255), of, noise(random, 24)));
    }
  }
  return frames;
}

/** The first message of a TLS client. */
export async function clientHello(): Promise<Buffer> {
  return new Promise((resolve) => {
    const wire = new Duplex({
      read: () => undefined,
      write(chunk: Buffer, _, done) {
        resolve(chunk);
        done();
      },
    });
    connect({ socket: wire, ALPNProtocols: ["h2"], servername: "localhost" }).on(
      "error",
      () => undefined,
    );
  });
}

export function tlsRecord(random: SeededRandom): Buffer {
  const body = noise(random, 300);
  const head = Buffer.from([
    pick(random, [20, 21, 22, 23, 24, 128]),
    3,
    random.integer(0, 4),
    0,
    0,
  ]);
  head.writeUInt16BE(random.integer(0, 4) > 0 ? body.length : random.integer(0, 65_535), 3);
  return Buffer.concat([head, body]);
}

const PATHS = [
  "/v2/echo/run",
  "/v2/echo/stream/x",
  "/lb/web/socket",
  "/emulator/replica",
  "/live/graphql",
  "/s3/echo/key?uploads",
  "/echo/key",
  "/v1/endpoints",
  "http://other/x",
  "*",
  "/%ff%00/..",
];

const HEADERS = [
  "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAA\r\nSec-WebSocket-Version: 13",
  "Connection: Upgrade\r\nUpgrade: sv-replica\r\nsv-replica: a;1;b;c",
  "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk",
  "Expect: 100-continue",
  "Expect: nothing",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: chunked, gzip",
  "Content-Length: 5\r\nTransfer-Encoding: chunked",
  "Content-Length: 99999999999999",
  "Content-Length: -1",
  "x-amz-content-sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD\r\nx-amz-date: 20260101T000000Z",
  "Authorization: AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=00",
  "Range: bytes=5-1,-9",
  "Cookie: sv=%%%",
  "Origin: null",
  "traceparent: 00-00-00-00",
  "Last-Event-ID: -1",
];

/** A request of HTTP/1, mostly an invalid one. */
export function httpRequest(random: SeededRandom, key: string): Buffer {
  const method = pick(random, [
    "GET",
    "POST",
    "PUT",
    "DELETE",
    "HEAD",
    "OPTIONS",
    "CONNECT",
    "PATCH",
    "PRI",
  ]);
  const lines = [`${method} ${pick(random, PATHS)} HTTP/1.${random.integer(0, 1)}`];
  if (random.integer(0, 9) > 0) lines.push(`Host: ${pick(random, ["localhost", "web.localhost"])}`);
  if (random.integer(0, 2) > 0) lines.push(`Authorization: Bearer ${key}`);
  while (random.integer(0, 2) > 0) lines.push(pick(random, HEADERS));
  const body = pick(random, [
    "",
    '{"input":{}}',
    "5\r\nhello\r\n0\r\n\r\n",
    "zz\r\n",
    '{"input":'.repeat(600),
  ]);
  if (random.integer(0, 1) === 0) lines.push(`Content-Length: ${body.length}`);
  const request = Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`, "latin1");
  return random.integer(0, 1) === 0 ? request : damaged(random, request);
}
