/** Bad bodies: too large, not JSON, not a job. Each gets a clear refusal, and the service goes on. */
import { once } from "node:events";
import { Readable } from "node:stream";
import { request } from "undici";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { assertUnharmed, KEY, startTestHttp, type TestHttp } from "../http-harness.ts";

let service: TestHttp;

beforeAll(async () => {
  service = await startTestHttp();
});

afterEach(() => assertUnharmed(service));

afterAll(async () => {
  await service[Symbol.asyncDispose]();
});

const HEAD = `host: x\r\nauthorization: Bearer ${KEY}\r\n`;

const invalid = (...problems: string[]) => ({
  error: problems.length > 1 ? `${problems[0]} (and ${problems.length - 1} more)` : problems[0],
  code: "invalid_request",
  status: 400,
  problems,
});

describe.each(["run", "runsync"])("the body of /%s", (operation) => {
  const path = `/v2/echo/${operation}`;
  const submit = (body: unknown, headers: Record<string, string> = {}) =>
    service.call("POST", path, { body, headers });

  it.each([
    ["no JSON", "", "the body is not valid JSON: it is empty"],
    ["no UTF-8", Buffer.from([0x22, 0xc3, 0x28, 0x22]), "the body is not valid UTF-8"],
    [
      "nested 100,000 deep",
      `{"input":{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`,
      "nested deeper than 512 levels",
    ],
  ])("is refused when it is %s", async (_, body, message) => {
    const { json } = await submit(body);
    const error = expect.stringContaining(message) as string;
    expect(json).toStrictEqual({ code: "invalid_json", status: 400, error });
  });

  it("is refused with all problems at once", async () => {
    const { json } = await submit('{"input":1,"webhook":2}');
    expect(json).toStrictEqual(
      invalid(
        "input must be an object; got a number",
        "webhook must be an http or https URL; got 2",
      ),
    );
  });

  it.each(["gzip", "br", "deflate", "identity, gzip"])(
    "is refused with Content-Encoding %s",
    async (encoding) => {
      const { json } = await submit('{"input":{}}', { "content-encoding": encoding });
      expect(json).toMatchObject({ code: "unsupported_encoding", status: 400 });
      expect((json as { error: string }).error).toContain(JSON.stringify(encoding));
    },
  );
});

it("keeps the bytes of __proto__ keys of an input", async () => {
  const worker = await service.test.connectWorker();
  const body = '{"input":{"__proto__":{"admin":true},"constructor":1}}';
  await service.call("POST", "/v2/echo/run", { body });
  const job = await worker.nextJob();
  expect(Buffer.from(job.input).toString()).toBe('{"__proto__":{"admin":true},"constructor":1}');
  expect(({} as Record<string, unknown>)["admin"]).toBeUndefined();
  await worker.complete(job, 1);
  service.test.engine.fleet.remove(worker.worker);
});

describe.each([
  ["run", 10_000_000],
  ["runsync", 20_000_000],
])("the size of a body of /%s", (operation, limit) => {
  const path = `/v2/echo/${operation}`;
  const tooLarge = {
    error: `the body must be at most ${limit} bytes`,
    code: "payload_too_large",
    status: 413,
  };
  const bodyOf = (size: number) => {
    const frame = '{"input":{"a":""}}'.length;
    return Buffer.from(`{"input":{"a":"${"x".repeat(size - frame)}"}}`);
  };

  it("may be exactly the limit, with or without Content-Length", async () => {
    const body = bodyOf(limit);
    const halves = [body.subarray(0, 1_000_000), body.subarray(1_000_000)];
    const worker = await service.test.connectWorker();
    for (const sent of [body, Readable.from(halves)]) {
      const answer = request(`${service.url}${path}`, {
        method: "POST",
        headers: { authorization: KEY },
        body: sent,
      });
      const job = await worker.nextJob();
      expect(job.input).toHaveLength(limit - '{"input":}'.length);
      await worker.complete(job, 1);
      expect((await answer).statusCode).toBe(200);
      await (await answer).body.dump();
      await worker.grant();
    }
    service.test.engine.fleet.remove(worker.worker);
  });

  it("is refused one byte above the limit without Content-Length", async () => {
    const body = bodyOf(limit + 1);
    const answer = await request(`${service.url}${path}`, {
      method: "POST",
      headers: { authorization: KEY },
      body: Readable.from([body.subarray(0, 9_000_000), body.subarray(9_000_000)]),
    });
    expect(answer.statusCode).toBe(413);
    expect(await answer.body.json()).toStrictEqual(tooLarge);
  });

  it("is refused and the connection closed when it exceeds the limit", async () => {
    const begun = `POST ${path} HTTP/1.1\r\n${HEAD}transfer-encoding: chunked\r\n\r\n`;
    const socket = await service.socket(`${begun}${(limit + 2).toString(16)}\r\n`);
    socket.write(bodyOf(limit + 1));
    const [answer] = (await once(socket.setEncoding("utf8"), "data")) as [string];
    expect(answer).toMatch(/^HTTP\/1\.1 413 [^]*connection: close/i);
    socket.end();
    await once(socket, "close");
  });

  it("is refused by its Content-Length before any of it is read", async () => {
    const socket = await service.socket(
      `POST ${path} HTTP/1.1\r\n${HEAD}content-length: ${limit + 1}\r\n\r\n`,
    );
    const [answer] = (await once(socket.setEncoding("utf8"), "data")) as [string];
    expect(answer).toMatch(/^HTTP\/1\.1 413 [^]*connection: close/i);
    expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "")).toStrictEqual(tooLarge);
    socket.end();
    await once(socket, "close");
  });

  it("is refused before the client sends anything with Expect: 100-continue", async () => {
    const socket = await service.socket(
      `POST ${path} HTTP/1.1\r\n${HEAD}expect: 100-continue\r\ncontent-length: ${limit + 1}\r\n\r\n`,
    );
    const [answer] = (await once(socket.setEncoding("utf8"), "data")) as [string];
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });
});

it("is read up to the limit if it is endless, and the connection is closed", async () => {
  const socket = await service.socket(
    `POST /v2/echo/run HTTP/1.1\r\n${HEAD}transfer-encoding: chunked\r\n\r\n`,
  );
  let sent = 0;
  const piece = Buffer.concat([
    Buffer.from("186a0\r\n"),
    Buffer.alloc(100_000, 0x20),
    Buffer.from("\r\n"),
  ]);
  const answered = once(socket, "data");
  let wake: (() => void) | undefined;
  // A write to a closed connection fails, as expected here.
  for (const event of ["drain", "close", "error"]) socket.on(event, () => wake?.());
  while (!socket.destroyed) {
    sent += piece.length;
    if (!socket.write(piece)) await new Promise<void>((resolve) => (wake = resolve));
    // Far above the limit and the discarded rest, and far below the endless body.
    expect(sent).toBeLessThan(150_000_000);
  }
  const [answer] = (await answered) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /);
});

it("is requested after Expect: 100-continue, and accepted", async () => {
  const body = '{"input":{}}';
  const socket = await service.socket(
    `POST /v2/echo/run HTTP/1.1\r\n${HEAD}expect: 100-continue\r\ncontent-length: ${body.length}\r\n\r\n`,
  );
  const [first] = (await once(socket.setEncoding("utf8"), "data")) as [string];
  expect(first).toBe("HTTP/1.1 100 Continue\r\n\r\n");
  socket.write(body);
  const [second] = (await once(socket, "data")) as [string];
  expect(second).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  await service.call("POST", "/v2/echo/purge-queue");
});

it("is not stored if the client disconnects in the middle", async () => {
  const socket = await service.socket(
    `POST /v2/echo/run HTTP/1.1\r\n${HEAD}content-length: 100\r\n\r\n{"input":{}`,
  );
  await service.test.clock.settle();
  socket.destroy();
  await once(socket, "close");
  await service.test.clock.settle();
  expect(service.test.logged.filter(({ level }) => level === "error")).toStrictEqual([]);
});
