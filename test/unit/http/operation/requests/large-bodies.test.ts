/** Large bodies: slow ones take no memory from others; complete ones wait for room. */
import fs from "node:fs";
import { once } from "node:events";
import type { Socket } from "node:net";
import { expect, it, vi } from "vitest";
import { LIMITS } from "../../../../../runtime/protocol/limits.ts";
import { mountTmpfs, tmpfsIsMissing } from "../../../../setup/tmpfs.ts";
import { KEY, startTestHttp } from "../../http-harness.ts";

const BODY = JSON.stringify({ input: { text: "0123456789".repeat(900_000) } });

const HEAD = [
  "POST /v2/echo/run HTTP/1.1",
  "host: x",
  `authorization: Bearer ${KEY}`,
  "connection: close",
].join("\r\n");

function begun(length = `content-length: ${BODY.length}`): string {
  return `${HEAD}\r\n${length}\r\n\r\n`;
}

async function answerOf(socket: Socket): Promise<string> {
  const pieces = await socket.toArray();
  return Buffer.concat(pieces as Buffer[]).toString();
}

it("many unfinished requests do not block others, and are served when they finish", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker("echo", { credit: 20 });
  const slow = await Promise.all(
    Array.from({ length: 10 }, () => service.socket(begun() + BODY.slice(0, -1))),
  );
  const hurried = await service.socket(begun() + BODY);
  expect(await answerOf(hurried)).toContain("HTTP/1.1 200");
  expect(Buffer.from((await worker.nextJob()).input).toString()).toBe(BODY.slice(9, -1));
  for (const socket of slow) {
    socket.write(BODY.slice(-1));
    expect(await answerOf(socket)).toContain("HTTP/1.1 200");
    expect(Buffer.from((await worker.nextJob()).input).toString()).toBe(BODY.slice(9, -1));
  }
});

it("a complete body waits for room, but not after its client has gone", async () => {
  await using service = await startTestHttp();
  const { inFlight } = service.test.engine;
  const all = await inFlight.take(LIMITS.inFlightMaxBytes, new AbortController().signal);
  const waiting = await service.socket(begun() + BODY);
  const chunk = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
  const chunked = await service.socket(begun("transfer-encoding: chunked") + chunk);
  const gone = await service.socket(begun() + BODY);
  const small = await service.call("POST", "/v2/echo/run", { body: { input: {} } });
  expect(small.status).toBe(200);
  gone.destroy();
  await once(gone, "close");
  all?.[Symbol.dispose]();
  expect(await answerOf(waiting)).toContain("HTTP/1.1 200");
  expect(await answerOf(chunked)).toContain("HTTP/1.1 200");
  // All room is free again.
  const { signal } = new AbortController();
  (await inFlight.take(LIMITS.inFlightMaxBytes, signal))?.[Symbol.dispose]();
});

it("a large invalid body is refused, and its room is freed", async () => {
  await using service = await startTestHttp();
  const { inFlight } = service.test.engine;
  const all = await inFlight.take(LIMITS.inFlightMaxBytes, new AbortController().signal);
  const faulty = await service.socket(begun() + BODY.replace("}}", "]}"));
  expect(await answerOf(faulty)).toContain("HTTP/1.1 400");
  all?.[Symbol.dispose]();
  expect(inFlight.takeNow(LIMITS.inFlightMaxBytes / 2)).toBeDefined();
});

it.runIf(tmpfsIsMissing === undefined)(
  "a body is refused if the temporary directory has no room for it, and other requests are served",
  async () => {
    await using service = await startTestHttp();
    const { inFlight } = service.test.engine;
    using disk = mountTmpfs(4_500_000);
    vi.stubEnv("TMPDIR", disk.path);
    const all = await inFlight.take(LIMITS.inFlightMaxBytes, new AbortController().signal);
    const refused = [`content-length: ${BODY.length}`, "transfer-encoding: chunked"].map(
      async (length, at) => {
        const body = at === 0 ? BODY : `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
        return answerOf(await service.socket(begun(length) + body));
      },
    );
    for (const answer of await Promise.all(refused)) {
      expect(answer).toContain("HTTP/1.1 507");
      expect(answer).toContain('"code":"storage_full"');
      expect(answer).toContain(disk.path);
    }
    expect((await service.call("POST", "/v2/echo/run", { body: { input: {} } })).status).toBe(200);
    const room = () => {
      const { bavail, bsize } = fs.statfsSync(disk.path);
      return bavail * bsize;
    };
    // The file of a refused body is closed after its answer.
    await expect.poll(room).toBeGreaterThan(3_000_000);
    all?.[Symbol.dispose]();
    expect(await answerOf(await service.socket(begun() + BODY))).toContain("HTTP/1.1 200");
    const { json } = await service.call("GET", "/v2/echo/requests?limit=100");
    expect((json as { requests: unknown[] }).requests).toHaveLength(2);
  },
);
