/**
 * Live workers on slow connections: while bytes flow, the workers are not silent, and their jobs are neither lost
 * nor timed out.
 */
import { once } from "node:events";
import type { Socket } from "node:net";
import { expect, it } from "vitest";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { USER_KEY } from "../http/http-harness.ts";
import { LiveScene } from "./live-scene.ts";

const MB = 1_000_000;
const BYTES = 19 * MB;
/** The shortest timeout that a client can set. */
const policy = { executionTimeout: 5_000 };
const HEAD = `host: x\r\nauthorization: ${USER_KEY}\r\n`;

/** Reads until the service must write more, or reads the `rest`. */
async function readSome(socket: Socket, rest: number): Promise<Buffer> {
  const slices: Buffer[] = [];
  for (let bytes = 0; bytes < Math.min(MB, rest);) {
    const slice = socket.read() as Buffer | null;
    if (slice === null) await once(socket, "readable");
    else slices.push(slice);
    bytes += slice?.length ?? 0;
  }
  return Buffer.concat(slices);
}

it("a slowly posted result counts, even without pings", async () => {
  await using scene = await LiveScene.set();
  const { worker } = scene;
  const { id } = await scene.handOut(worker, {}, { policy });
  const body = JSON.stringify({ output: "x".repeat(1_000) });
  const head = `POST /live/v2/echo/job-done/${worker.id}/${id} HTTP/1.1\r\n${HEAD}content-length: ${body.length}\r\n\r\n`;
  const socket = await scene.service.socket(head);
  const { contact } = scene.service.test.engine.fleet.find(worker.id) ?? {};
  for (let at = 0; at < body.length; at += 40) {
    const before = contact?.lastAt;
    await scene.advance(2_000);
    socket.write(body.slice(at, at + 40));
    await scene.until(() => contact?.lastAt !== before);
  }
  await scene.until(() => socket.readableLength > 0);
  expect(await scene.status(id)).toMatchObject({ status: "COMPLETED", output: "x".repeat(1_000) });
});

it("a result that stops arriving does not keep its job", async () => {
  await using scene = await LiveScene.set();
  const { worker } = scene;
  const { id } = await scene.handOut(worker);
  const head = `POST /live/v2/echo/job-done/${worker.id}/${id} HTTP/1.1\r\n${HEAD}content-length: 100\r\n\r\n{`;
  await scene.service.socket(head);
  await scene.advance(LIMITS.leaseMs + LIMITS.leaseRenewalMs);
  expect(await scene.status(id)).toMatchObject({ status: "IN_QUEUE", retries: 1 });
});

it("the time of a job continues after a slow or unfinished yield or progress value", async () => {
  await using scene = await LiveScene.set();
  const { worker } = scene;
  const { id } = await scene.handOut(worker, {}, { policy });
  const body = JSON.stringify({ status: "IN_PROGRESS", output: "x".repeat(100) });
  for (const length of [body.length, body.length + 1]) {
    const head = `POST /live/v2/echo/job-done/${worker.id}/${id} HTTP/1.1\r\n${HEAD}content-length: ${length}\r\n\r\n`;
    const socket = await scene.service.socket(head);
    for (let at = 0; at < body.length; at += 40) {
      await scene.advance(1_000);
      socket.write(body.slice(at, at + 40));
      await worker.ping([id]);
    }
    socket.end();
    await once(socket.resume(), "close");
  }
  for (let at = 0; at < 20_000; at += 2_000) {
    await scene.advance(2_000);
    await worker.ping([id]);
  }
  expect(await scene.status(id)).toMatchObject({ status: "TIMED_OUT" });
});

it("a large job that is sent slowly stays with its worker, and its time begins when the worker has it", async () => {
  await using scene = await LiveScene.set();
  const { worker } = scene;
  const { id: first } = await scene.handOut(worker);
  // Its pings name its jobs from now on.
  await worker.ping([first]);
  await worker.done(first, { output: 1 });
  // The system accepts only a part of an answer.
  const body = { input: { text: "x".repeat(BYTES) }, policy };
  const answer = scene.service.call("POST", "/v2/echo/runsync", { body });
  answer.catch(() => undefined);
  const socket = await scene.service.socket(
    `GET /live/v2/echo/job-take/${worker.id} HTTP/1.1\r\n${HEAD}\r\n`,
  );
  socket.pause();
  await once(socket, "readable");
  let id = "";
  for (let bytes = 0; bytes < BYTES;) {
    const slice = await readSome(socket, BYTES - bytes);
    bytes += slice.length;
    id ||= /"id":"([^"]+)"/u.exec(slice.toString("latin1"))?.[1] ?? "";
    for (let ms = 0; ms < 15_000; ms += LIMITS.leaseRenewalMs) {
      await scene.advance(LIMITS.leaseRenewalMs);
      await worker.ping();
    }
    expect(await scene.status(id)).toMatchObject({ status: "IN_PROGRESS" });
  }
  await worker.ping([id]);
  await scene.advance(policy.executionTimeout + LIMITS.executionGraceMs - 1_000);
  await worker.done(id, { output: "on time" });
  const { retries = 0, ...status } = await scene.status(id);
  expect([retries, status.status, status.output]).toEqual([0, "COMPLETED", "on time"]);
});
