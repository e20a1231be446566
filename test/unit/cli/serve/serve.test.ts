/** Signals that end a service: the first drains, the second does not wait, the third kills at once. */
import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { serve } from "../../../../emulator/cli/serve/serve.ts";
import { countStopSignals } from "../../../../emulator/cli/signals.ts";
import type { Emulator } from "../../../../emulator/index.ts";

/** An emulator with a scripted start and stop. */
function staged() {
  const source = new EventEmitter();
  const started = Promise.withResolvers<Emulator>();
  const stops = { drain: Promise.withResolvers<void>(), kill: Promise.withResolvers<void>() };
  const events: string[] = [];
  let now = 0;
  const emulator: Emulator = {
    url: "http://127.0.0.1:1",
    workerAddress: undefined,
    apiKey: "k",
    webhookSecret: "",
    endpointIds: [],
    s3: undefined,
    clock: { now: () => 0, advance: async () => Promise.reject(new Error("time stands still")) },
    dashboardLink: () => undefined,
    rereadCertificate: async () => undefined,
    exceededLimits: () => [],
    endpoint: () => expect.unreachable(),
    idle: async () => undefined,
    webhooks: { deliveries: async () => [] },
    stop: async (how = "drain") => {
      events.push(how);
      return stops[how].promise;
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
  const code = serve({
    start: async () => started.promise,
    // Enough time passes between any two signals.
    signals: countStopSignals(source, () => (now += 1_000)),
    ready: () => void events.push("ready"),
    say: (sentence) => void events.push(`say: ${sentence}`),
    stopped: () => void events.push("stopped"),
  });
  return {
    code,
    events,
    stops,
    start: () => started.resolve(emulator),
    failStart: (error: Error) => started.reject(error),
    signal: (name: "SIGINT" | "SIGTERM") => void source.emit(name),
    /** Waits until everything that was triggered has settled. */
    settle: async () => new Promise((resolve) => setImmediate(resolve)),
  };
}

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s drains the service, logs how to be quicker, and exits with 0",
  async (name) => {
    const { code, events, stops, start, signal, settle } = staged();
    start();
    await settle();
    expect(events).toEqual(["ready"]);
    signal(name);
    await settle();
    expect(events).toEqual([
      "ready",
      expect.stringMatching(/^say: stopping: .* stops at once$/),
      "drain",
    ]);
    stops.drain.resolve();
    expect(await code).toBe(0);
    expect(events.slice(3)).toEqual(["stopped"]);
  },
);

test("a second signal kills the workers, and the exit code is 130", async () => {
  const { code, events, stops, start, signal, settle } = staged();
  start();
  await settle();
  signal("SIGINT");
  signal("SIGTERM");
  await settle();
  expect(events.slice(2)).toEqual(["drain", "say: stopping at once", "kill"]);
  stops.kill.resolve();
  expect(await code).toBe(130);
  expect(events.at(-1)).toBe("stopped");
});

test("a third signal does not wait for the kill", async () => {
  const { code, start, signal, settle } = staged();
  start();
  await settle();
  for (let count = 0; count < 3; count++) signal("SIGINT");
  expect(await code).toBe(130);
});

test("a signal before the service has started stops it without a ready line", async () => {
  const { code, events, stops, start, signal, settle } = staged();
  signal("SIGINT");
  start();
  await settle();
  expect(events).not.toContain("ready");
  stops.drain.resolve();
  expect(await code).toBe(0);
});

test("two signals before the service has started do not wait for it", async () => {
  const { code, signal } = staged();
  signal("SIGINT");
  signal("SIGINT");
  expect(await code).toBe(130);
});

test("a failed start rejects for the caller", async () => {
  const { code, events, failStart } = staged();
  failStart(new Error("the port is taken"));
  await expect(code).rejects.toThrow("the port is taken");
  expect(events).toEqual([]);
});

test("a failed drain rejects for the caller", async () => {
  const { code, stops, start, signal } = staged();
  start();
  signal("SIGINT");
  stops.drain.reject(new Error("the disk is gone"));
  await expect(code).rejects.toThrow("the disk is gone");
});
