/** The built emulator is killed between the ends of jobs and their deliveries: the next one delivers each of them. */
import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import { temporaryTree } from "../../temporary-tree.ts";
import { type Received, startReceiver } from "../../unit/webhooks/receiver.ts";
import { type EmulatorProcess, startEmulatorProcess } from "../emulator-process.ts";

const FILES = { "echo.js": "export default (job) => job.input;" };
const JOBS = 40;

interface Inbox {
  readonly deliveries: readonly { readonly id: string; readonly state: string }[];
}

async function call(emulator: EmulatorProcess, path: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(`${emulator.url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${emulator.apiKey}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(answer.status).toBe(200);
  return answer.json();
}

async function submit(emulator: EmulatorProcess, webhook: string, n: number): Promise<string> {
  const { id } = (await call(emulator, "/v2/echo/run", { input: { n }, webhook })) as {
    id: string;
  };
  return id;
}

async function kill(emulator: EmulatorProcess): Promise<void> {
  emulator.child.kill("SIGKILL");
  await emulator.exited;
}

it("every job's webhook is delivered, and each call is signed, when the emulator is killed in between", async () => {
  await using tree = await temporaryTree(FILES);
  const some = Promise.withResolvers<void>();
  const received: Received[] = [];
  // Every second call gets no answer, so calls are under way when the emulator is killed.
  await using receiver = await startReceiver((response, request) => {
    received.push(request);
    if (received.length === 10) some.resolve();
    if (received.length > 10 || received.length % 2 === 0) response.end();
  });
  const start = () => startEmulatorProcess({ args: ["echo.js"], cwd: tree.root });
  const first = await start();
  const { secret } = (await call(first, "/emulator/webhooks/secret")) as { secret: string };
  const ids = [];
  for (let n = 0; n < JOBS; n += 1) ids.push(await submit(first, receiver.url, n));
  await some.promise;
  await kill(first);
  const before = received.length;
  await using second = await start();
  expect(await call(second, "/emulator/webhooks/secret")).toEqual({ secret });
  const inbox = async () =>
    ((await call(second, "/emulator/webhooks?limit=100")) as Inbox).deliveries;
  await expect
    .poll(async () => (await inbox()).filter(({ state }) => state === "delivered").length)
    .toBe(JOBS);
  const verifier = new Webhook(secret);
  const bodies = new Map<string, string>();
  for (const { headers, text } of received) {
    const job = verifier.verify(text, headers as Record<string, string>) as { status: string };
    expect(job.status).toBe("COMPLETED");
    const id = String(headers["webhook-id"]);
    expect(bodies.get(id) ?? text).toBe(text);
    bodies.set(id, text);
  }
  const told = [...bodies.values()].map((text) => (JSON.parse(text) as { id: string }).id);
  expect(told.toSorted()).toEqual(ids.toSorted());
  // Calls without an answer were sent again.
  expect(received.length).toBeGreaterThan(JOBS);
  expect(received.length).toBeGreaterThan(before);
});

it("a delivery that failed before the kill is tried by the next emulator 10 s after its first try", async () => {
  await using tree = await temporaryTree(FILES);
  const times: number[] = [];
  const failed = Promise.withResolvers<void>();
  await using receiver = await startReceiver((response) => {
    times.push(performance.now());
    response.statusCode = times.length === 1 ? 500 : 200;
    response.end();
    failed.resolve();
  });
  const start = () => startEmulatorProcess({ args: ["echo.js"], cwd: tree.root });
  const first = await start();
  await submit(first, receiver.url, 1);
  await failed.promise;
  const tries = async (emulator: EmulatorProcess) =>
    ((await call(emulator, "/emulator/webhooks")) as { deliveries: { tries: unknown[] }[] })
      .deliveries[0]?.tries.length;
  await expect.poll(() => tries(first)).toBe(1);
  await kill(first);
  await using second = await start();
  await expect.poll(() => tries(second)).toBe(2);
  const [one = 0, two = 0] = times;
  expect(two - one).toBeGreaterThanOrEqual(9_900);
  expect(receiver.received[1]?.text).toBe(receiver.received[0]?.text);
  expect(receiver.received[1]?.headers["webhook-id"]).toBe(
    receiver.received[0]?.headers["webhook-id"],
  );
});

it("a service that others can reach calls local receivers only with its option for them", async () => {
  await using tree = await temporaryTree(FILES);
  await using receiver = await startReceiver();
  const args = ["echo.js", "--ephemeral", "--host", "0.0.0.0"];
  const reachable = async (more: readonly string[]) => {
    const emulator = await startEmulatorProcess({ args: [...args, ...more], cwd: tree.root });
    return Object.assign(emulator, { url: emulator.url.replace("0.0.0.0", "127.0.0.1") });
  };
  const firstTry = async (emulator: EmulatorProcess): Promise<unknown> => {
    await submit(emulator, receiver.url, 1);
    const look = async () =>
      ((await call(emulator, "/emulator/webhooks")) as { deliveries: { tries: unknown[] }[] })
        .deliveries[0]?.tries[0];
    await expect.poll(look).toBeDefined();
    return look();
  };
  await using guarded = await reachable([]);
  expect(await firstTry(guarded)).toMatchObject({
    error: expect.stringContaining("webhooks to local addresses are off"),
  });
  expect(receiver.accepted).toBe(0);
  await using open = await reachable(["--local-webhooks", "on"]);
  expect(await firstTry(open)).toMatchObject({ status: 200 });
});
