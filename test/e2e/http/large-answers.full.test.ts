/** The emulator's memory stays bounded while many clients request large outputs, whether they read them or not. */
import { once } from "node:events";
import http from "node:http";
import net from "node:net";
import { crc32 } from "node:zlib";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { Stage } from "../jobs/stage.ts";
import { openFiles, Peaks, residentBytes } from "./load/peaks.ts";

const OUTPUT_BYTES = 19_000_000;
/** Number of readers: the answers of all of them in memory would need three times the bound. */
const READERS = 120;
const MAX_RESIDENT_BYTES = 400_000_000;
/** Maximum growth of the emulator's memory soon after all clients left, bytes. */
const LEFT_BYTES = 60_000_000;

/** The stage with one job that has ended, and the path to read it. */
async function stageWithLargeOutput() {
  const stage = await Stage.set({
    endpoints: { large: { handler: "returns-as-many-bytes.ts", workersMax: 1 } },
  });
  const { id } = await stage.endpoint("large").run({ bytes: OUTPUT_BYTES });
  const { output } = await stage.endpoint<string>("large").wait(id);
  expect(output).toHaveLength(OUTPUT_BYTES);
  return { stage, path: `/v2/large/status/${id}` };
}

test("40 connections that request 19 MB 8 times each and never read need 400 MB at most", async () => {
  const { stage, path } = await stageWithLargeOutput();
  await using _ = stage;
  const { url, apiKey, child } = stage.emulator;
  await readWhole(url, apiKey, path);
  const before = residentBytes(child.pid);
  using memory = new Peaks(child.pid);
  const request = `GET ${path} HTTP/1.1\r\nhost: ${new URL(url).host}\r\nauthorization: Bearer ${apiKey}\r\n\r\n`;
  const sockets = Array.from({ length: 40 }, () => neverReading(Number(new URL(url).port)));
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  for (const socket of sockets) socket.write(request.repeat(8));
  await delay(5_000);
  expect(openFiles(child.pid)).toBeLessThan(200);
  for (const socket of sockets.slice(0, 3)) {
    expect(await firstBytes(socket)).toMatch(/^HTTP\/1\.1 200 OK/);
  }
  for (const socket of sockets) socket.destroy();
  await fallsTo(child.pid, before + LEFT_BYTES);
  expect(memory.residentBytes).toBeLessThan(MAX_RESIDENT_BYTES);
});

test(`${READERS} clients that read 19 MB at once all get every byte, and need 400 MB at most`, async () => {
  const { stage, path } = await stageWithLargeOutput();
  await using _ = stage;
  const { url, apiKey, child } = stage.emulator;
  const one = await readWhole(url, apiKey, path);
  expect(one.bytes).toBeGreaterThan(OUTPUT_BYTES);
  const before = residentBytes(child.pid);
  using memory = new Peaks(child.pid);
  const all = await Promise.all(
    Array.from({ length: READERS }, () => readWhole(url, apiKey, path)),
  );
  expect(all).toEqual(Array.from({ length: READERS }, () => one));
  await fallsTo(child.pid, before + LEFT_BYTES);
  expect(memory.residentBytes).toBeLessThan(MAX_RESIDENT_BYTES);
});

/** The garbage collector may run late. */
async function fallsTo(pid: number | undefined, bytes: number): Promise<void> {
  await expect.poll(() => residentBytes(pid)).toBeLessThan(bytes);
}

function neverReading(port: number): net.Socket {
  // Without a data listener the socket is not read. The test destroys the socket, which may emit an error.
  return net.connect(port, "127.0.0.1").on("error", () => undefined);
}

/** The first bytes of the answer, which prove that there was an answer to read. */
async function firstBytes(socket: net.Socket): Promise<string> {
  const [bytes] = (await once(socket, "data")) as [Buffer];
  socket.pause();
  return bytes.toString("latin1");
}

/** The answer to an honest client: the status, and the length and a checksum of the body. */
function readWhole(url: string, apiKey: string | undefined, path: string) {
  const { promise, resolve, reject } = Promise.withResolvers<{
    bytes: number;
    [field: string]: unknown;
  }>();
  const headers = { authorization: `Bearer ${apiKey}` };
  const request = http.get(`${url}${path}`, { headers, agent: false }, (response) => {
    let bytes = 0;
    let sum = 0;
    response.on("data", (slice: Buffer) => {
      bytes += slice.length;
      sum = crc32(slice, sum);
    });
    response.on("end", () => {
      const length = response.headers["content-length"];
      resolve({ status: response.statusCode, length, bytes, sum, complete: response.complete });
    });
    response.on("error", reject);
  });
  request.on("error", reject);
  return promise;
}
