/** Webhook calls over HTTP: signed, not redirected, bounded in time, and only to allowed addresses. */
import { Buffer } from "node:buffer";
import { setImmediate as turn } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { expect, it, vi } from "vitest";
import { createHttpSender } from "../../../emulator/webhooks/http-sender.ts";
import { isLoopbackHost } from "../../../emulator/core/access/loopback-host.ts";
import type { WebhookSender } from "../../../emulator/webhooks/webhook-sender.ts";
import { startTcpProxy } from "../../setup/tcp-proxy.ts";
import { startReceiver } from "./receiver.ts";

const secret = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
const noAbort = new AbortController().signal;

interface TestSender extends AsyncDisposable {
  readonly sender: WebhookSender;
  send(url: string, ...pieces: (string | Uint8Array)[]): ReturnType<WebhookSender["send"]>;
}

function open(options: { allowLocal?: boolean; timeLimitMs?: number } = {}): TestSender {
  const sender = createHttpSender({ secret, allowLocal: true, ...options });
  return {
    sender,
    send: (url, ...pieces) => sender.send({ id: "msg_1", url, pieces }, noAbort),
    [Symbol.asyncDispose]: () => sender.close(),
  };
}

it.each([
  ["small", [`{"a":"ü","input":`, Buffer.from('{"b":  1}'), "}"]],
  ["large", [`{"a":"`, Buffer.alloc(3_000_000, "ü"), `"}`]],
])("a %s body arrives whole with a valid signature", async (_size, pieces) => {
  await using receiver = await startReceiver();
  await using test = open();
  const result = await test.send(`${receiver.url}?token=1`, ...pieces);
  expect(result).toMatchObject({ status: 200 });
  const [request] = receiver.received;
  const whole = Buffer.concat(pieces.map((piece) => Buffer.from(piece))).toString();
  expect(request?.method).toBe("POST");
  expect(request?.path).toBe("/hook?token=1");
  expect(request?.text === whole).toBe(true);
  expect(request?.headers).toMatchObject(result.headers);
  expect(request?.headers["content-type"]).toBe("application/json");
  expect(request?.headers["content-length"]).toBe(String(Buffer.byteLength(whole)));
  const verified = new Webhook(secret).verify(
    request?.text ?? "",
    request?.headers as Record<string, string>,
  );
  expect(verified).toEqual(JSON.parse(whole));
  const wrong = new Webhook(`whsec_${Buffer.alloc(32, 8).toString("base64")}`);
  expect(() =>
    wrong.verify(request?.text ?? "", request?.headers as Record<string, string>),
  ).toThrow("No matching signature");
});

it.each([
  ["https://a.example/new", "https://a.example/new"],
  ["/d\u00C3\u00BCr", "URL/d%C3%BCr"],
  ["https://u:p@a.example/new?token=1", "https://a.example/new?…"],
])("a redirect to %j is shown as what to submit", async (location, shown) => {
  await using receiver = await startReceiver((response) => {
    response.writeHead(308, { location }).end();
  });
  await using test = open();
  const { origin } = new URL(receiver.url);
  expect(await test.send(receiver.url, "{}")).toMatchObject({
    status: 308,
    warning: `it redirects to ${shown.replace("URL", origin)}, and redirects are not followed: submit that as webhook`,
  });
});

it("localhost in a container is pointed out", async () => {
  vi.stubEnv("KUBERNETES_SERVICE_HOST", "10.0.0.1");
  await using receiver = await startReceiver();
  const { port } = new URL(receiver.url);
  await receiver[Symbol.asyncDispose]();
  await using test = open();
  const { error } = await test.send(`http://localhost:${port}/`, "{}");
  expect(error).toMatch(/ECONNREFUSED.*in this container localhost is the container itself/u);
});

it("a redirect is an ordinary answer, and is not followed", async () => {
  await using elsewhere = await startReceiver();
  await using receiver = await startReceiver((response) =>
    response.writeHead(307, { location: elsewhere.url }).end(),
  );
  await using test = open();
  expect(await test.send(receiver.url, "{}")).toMatchObject({ status: 307 });
  expect(elsewhere.received).toHaveLength(0);
});

it("a call to a receiver that does not answer in time fails", async () => {
  await using receiver = await startReceiver(() => undefined);
  await using test = open({ timeLimitMs: 50 });
  const result = await test.send(receiver.url, "{}");
  expect(result).toMatchObject({ error: "there was no answer within 0.05 s" });
  expect(result.status).toBeUndefined();
  expect(result.durationMs).toBeGreaterThanOrEqual(49);
});

it("a call does not fail while its receiver slowly reads a large body, however long this takes", async () => {
  await using receiver = await startReceiver();
  await using proxy = await startTcpProxy(Number(new URL(receiver.url).port));
  // Buffers of the system hold some megabytes: less than the connection transfers within the time limit.
  proxy.slowDown({ bytesPerSecond: 20_000_000, latencyMs: 0 });
  await using test = open({ timeLimitMs: 1_000 });
  const url = `http://${proxy.address}/hook`;
  const part = Buffer.alloc(15_000_000, "x");
  const result = await test.send(url, '"', part, part, part, part, '"');
  expect(result).toMatchObject({ status: 200 });
  expect(result.durationMs).toBeGreaterThan(2_000);
});

it("the status counts at once, whether the answer's body ends or not", async () => {
  await using receiver = await startReceiver((response) => {
    response.writeHead(200);
    const write = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(10_000)));
      if (!response.destroyed) response.once("drain", write);
    };
    write();
  });
  await using test = open({ timeLimitMs: 5_000 });
  const result = await test.send(receiver.url, "{}");
  expect(result).toMatchObject({ status: 200 });
  await expect.poll(() => receiver.connections).toBe(0);
});

it("an unreachable receiver causes an error message without the query of the URL", async () => {
  const gone = await startReceiver();
  await gone[Symbol.asyncDispose]();
  await using test = open();
  expect((await test.send(gone.url, "{}")).error).toContain("ECONNREFUSED");
  const nowhere = await test.send("http://nowhere.invalid/x?token=secret", "{}");
  expect(nowhere.error).toContain("nowhere.invalid");
  expect(nowhere.error).not.toContain("secret");
});

it.each([
  "127.0.0.1",
  "localhost",
  "[::1]",
  "169.254.169.254",
  "10.0.0.1",
  "[::ffff:127.0.0.1]",
  "0.0.0.0",
])("%s is not called when local addresses are not allowed", async (host) => {
  await using receiver = await startReceiver();
  await using test = open({ allowLocal: false });
  const { port } = new URL(receiver.url);
  const result = await test.send(`http://${host}:${port}/hook`, "{}");
  expect(result.error).toContain("leads to an address that is not public");
  expect(result.error).toContain("webhooks to local addresses are off");
  expect(receiver.accepted).toBe(0);
});

it("an aborted call rejects, and its connection is closed", async () => {
  const arrived = Promise.withResolvers<void>();
  await using receiver = await startReceiver(() => arrived.resolve());
  await using test = open();
  const abort = new AbortController();
  const sent = test.sender.send({ id: "msg", url: receiver.url, pieces: ["{}"] }, abort.signal);
  await arrived.promise;
  abort.abort(new Error("stopping"));
  await expect(sent).rejects.toThrow("stopping");
  await expect.poll(() => receiver.connections).toBe(0);
});

it("1,000 calls to one receiver share a few connections, which closing ends", async () => {
  await using receiver = await startReceiver();
  await using test = open();
  for (let round = 0; round < 125; round += 1) {
    await Promise.all(Array.from({ length: 8 }, () => test.send(receiver.url, "{}")));
  }
  expect(receiver.received).toHaveLength(1_000);
  expect(receiver.accepted).toBeLessThanOrEqual(16);
  await test.sender.close();
  await turn();
  await expect.poll(() => receiver.connections).toBe(0);
});

it("only loopback addresses and localhost are this machine's own", () => {
  for (const host of ["localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "::1"])
    expect(isLoopbackHost(host)).toBe(true);
  for (const host of ["0.0.0.0", "::", "192.168.0.1", "example.com", ""])
    expect(isLoopbackHost(host)).toBe(false);
});
