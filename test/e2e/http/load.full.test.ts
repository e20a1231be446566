/**
 * Under many large payloads at once the emulator uses bounded memory and descriptors, answers other requests, and
 * serves every client. For figures run this file alone on a quiet machine, in full size.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import { isDeepStrictEqual } from "node:util";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { freePort } from "../../setup/free-port.ts";
import { tokenOf } from "../elsewhere/far-worker.ts";
import { Stage } from "../jobs/stage.ts";
import { Peaks, residentBytes } from "./load/peaks.ts";
import type { ReadAnswer } from "./load/slow-readers.ts";

const MAX_RESIDENT_BYTES = 500_000_000;
const MAX_DESCRIPTORS = 2_000;
const READERS = 1_000;
const STREAMS = 20;
const BYTES_PER_SECOND = 200_000;
const CHUNKS = 20;
const CHUNK_BYTES = 100_000;
const CLIENTS = 100;
const INPUT_CHARACTERS = 19_900_000;
const WORKERS = 60;
const OUTPUT_BYTES = 19_000_000;

async function answered(url: string, apiKey: string | undefined): Promise<void> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } });
  await answer.text();
}

function expectBounded(figures: string, peaks: Peaks): void {
  const { residentBytes: bytes, descriptors, p99Ms } = peaks;
  const memory = `${Math.round(bytes / 1e6)} MB, ${descriptors} descriptors`;
  console.log(`figure: ${figures}: ${memory}, p99 of /health ${Math.round(p99Ms)} ms`);
  expect(bytes).toBeLessThan(MAX_RESIDENT_BYTES);
  expect(descriptors).toBeLessThan(MAX_DESCRIPTORS);
  expect(p99Ms).toBeLessThan(1_000);
}

async function slowReaders(accept: string): Promise<{
  readonly answers: readonly PromiseSettledResult<ReadAnswer>[];
  readonly peaks: Peaks;
}> {
  await using stage = await Stage.set({
    endpoints: { streams: { handler: "yields-as-many-bytes.ts", workersMax: 2 } },
  });
  const endpoint = stage.endpoint("streams");
  const ids: string[] = [];
  for (let at = 0; at < STREAMS; at += 1)
    ids.push((await endpoint.run({ count: CHUNKS, bytes: CHUNK_BYTES })).id);
  for (const id of ids) await endpoint.wait(id);
  const { url, apiKey, child } = stage.emulator;
  const heads = Array.from({ length: READERS }, (_, at) => {
    const path = `/v2/streams/stream/${ids[at % ids.length]}?from=0`;
    const fields = ["host: 127.0.0.1", `accept: ${accept}`, `authorization: Bearer ${apiKey}`];
    return [`GET ${path} HTTP/1.1`, ...fields, "connection: close", "", ""].join("\r\n");
  });
  using peaks = new Peaks(child.pid, () => answered(`${url}/v2/streams/health`, apiKey));
  const workerData = { port: Number(new URL(url).port), heads, bytesPerSecond: BYTES_PER_SECOND };
  const thread = new Worker(new URL("load/slow-readers.ts", import.meta.url), { workerData });
  const [answers] = (await once(thread, "message")) as [PromiseSettledResult<ReadAnswer>[]];
  return { answers, peaks };
}

for (const accept of ["application/x-ndjson", "text/event-stream", "application/json"]) {
  test(`${READERS} slow readers of streams of 2 MB as ${accept} need bounded memory and descriptors`, async () => {
    const { answers, peaks } = await slowReaders(accept);
    const whole = answers.map((answer) =>
      answer.status === "fulfilled"
        ? [answer.value.status, answer.value.sha256]
        : String(answer.reason),
    );
    expect(answers[0]).toMatchObject({ status: "fulfilled", value: { status: "HTTP/1.1 200 OK" } });
    expectBounded(`${READERS} slow readers (${accept})`, peaks);
    const kinds = new Set(whole.map(String));
    // The job's id is in the last event of its stream.
    expect(kinds.size).toBeLessThanOrEqual(STREAMS);
    for (const answer of answers)
      expect(answer.status === "fulfilled" && answer.value.bodyBytes).toBeGreaterThan(
        CHUNKS * CHUNK_BYTES,
      );
  });
}

test(`${CLIENTS} inputs of 20 MB at once are all accepted in bounded memory`, async () => {
  await using stage = await Stage.set({
    endpoints: { large: { handler: "measures-its-input.ts", workersMax: 3 } },
  });
  const { url, apiKey, child } = stage.emulator;
  const text = "0123456789".repeat(INPUT_CHARACTERS / 10);
  const body = Buffer.from(JSON.stringify({ input: { text } }));
  using peaks = new Peaks(child.pid, () => answered(`${url}/v2/large/health`, apiKey));
  const path = `${url}/v2/large/runsync?wait=300000`;
  const answers = await Promise.all(
    Array.from({ length: CLIENTS }, () => posted(path, apiKey, body)),
  );
  const sha256 = createHash("sha256").update(text).digest("hex");
  const output = { length: INPUT_CHARACTERS, sha256 };
  for (const answer of answers) expect(answer).toMatchObject({ status: "COMPLETED", output });
  expectBounded(`${CLIENTS} inputs of 20 MB`, peaks);
});

test(`${CLIENTS} inputs and outputs of 20 MB at once are all transferred in bounded memory`, async () => {
  await using stage = await Stage.set({
    endpoints: { large: { handler: "echo.ts", workersMax: 5 } },
  });
  const { url, apiKey, child } = stage.emulator;
  const input = { text: "0123456789".repeat(INPUT_CHARACTERS / 10) };
  const body = Buffer.from(JSON.stringify({ input }));
  using peaks = new Peaks(child.pid, () => answered(`${url}/v2/large/health`, apiKey));
  const path = `${url}/v2/large/runsync?wait=300000`;
  const answers = Array.from({ length: CLIENTS }, async () => {
    const { status, output } = (await posted(path, apiKey, body)) as Record<string, unknown>;
    return status === "COMPLETED" && isDeepStrictEqual(output, input);
  });
  expect(new Set(await Promise.all(answers))).toEqual(new Set([true]));
  expectBounded(`${CLIENTS} inputs and outputs of 20 MB`, peaks);
});

test(`outputs of 19 MB of ${WORKERS} workers at once are all accepted in bounded memory`, async () => {
  const workerPort = await freePort();
  await using stage = await Stage.set({
    endpoints: { large: { handler: "echo.ts", workersMin: 0, workersMax: 0 } },
    env: { SV_WORKER_PORT: String(workerPort) },
  });
  const { url, apiKey, child } = stage.emulator;
  const jobs = 2 * WORKERS;
  const ids: string[] = [];
  for (let left = jobs; left > 0; left -= 1) ids.push((await stage.endpoint("large").run({})).id);
  const workerData = {
    address: `tls://127.0.0.1:${workerPort}`,
    token: await tokenOf(url, "large", apiKey),
    ...{ workers: WORKERS, jobs, outputBytes: OUTPUT_BYTES },
  };
  using peaks = new Peaks(child.pid, () => answered(`${url}/v2/large/health`, apiKey));
  const thread = new Worker(new URL("load/large-outputs.ts", import.meta.url), { workerData });
  expect(await once(thread, "message")).toEqual([jobs]);
  await thread.terminate();
  expectBounded(`outputs of 19 MB of ${WORKERS} workers`, peaks);
});

test("slow clients with large inputs do not delay others", async () => {
  await using stage = await Stage.set({
    endpoints: { large: { handler: "measures-its-input.ts", workersMax: 1 } },
  });
  const { url, apiKey, child } = stage.emulator;
  const before = residentBytes(child.pid);
  using peaks = new Peaks(child.pid);
  const body = Buffer.from(JSON.stringify({ input: { text: "0123456789".repeat(1_900_000) } }));
  const path = `${url}/v2/large/runsync?wait=300000`;
  // All bytes of their bodies except the last.
  const slow = Array.from({ length: 20 }, () => request(path, apiKey, body.length));
  const closed = slow.map(
    (each) => new Promise((resolve) => each.on("error", () => undefined).on("close", resolve)),
  );
  await Promise.all(
    slow.map((each) => new Promise((resolve) => void each.write(body.subarray(0, -1), resolve))),
  );
  expect(await posted(path, apiKey, body)).toMatchObject({ status: "COMPLETED" });
  expect(peaks.residentBytes - before).toBeLessThan(300_000_000);
  for (const each of slow) each.destroy();
  await Promise.all(closed);
});

function request(url: string, apiKey: string | undefined, length: number): http.ClientRequest {
  const headers = { authorization: `Bearer ${apiKey}`, "content-length": length };
  return http.request(url, { method: "POST", agent: false, headers });
}

async function posted(url: string, apiKey: string | undefined, body: Buffer): Promise<unknown> {
  const asked = request(url, apiKey, body.length);
  asked.end(body);
  const [response] = (await once(asked, "response")) as [http.IncomingMessage];
  const pieces = (await response.toArray()) as Buffer[];
  return JSON.parse(Buffer.concat(pieces).toString()) as unknown;
}
