/** Callbacks of an embedder: one that throws or rejects has no other effect. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type EmulatorOptions, startEmulator } from "sv-runtime/emulator";

const thrown = () => {
  throw new Error("the embedder's own defect");
};
/** The type of the options accepts it: a function with a result is assignable to one without. */
const rejected = async () => thrown();

const failing = (fail: () => never) =>
  ({
    attemptEnded: { attemptEnded: fail },
    handlerTold: { handlerTold: fail },
    jobEnded: { jobEnded: fail },
    log: { log: { info: fail, warn: fail, error: fail } },
    storeLost: { storeLost: fail },
    workerLine: { workerLine: fail },
  }) satisfies Record<string, EmulatorOptions>;

const all = (fail: () => never): EmulatorOptions =>
  Object.values<EmulatorOptions>(failing(fail)).reduce((some, more) => ({ ...some, ...more }));

const cases = Object.entries({ throws: thrown, rejects: rejected as () => never }).flatMap(
  ([how, fail]) =>
    Object.entries({ ...failing(fail), "each of them": all(fail) }).map(
      ([what, options]) => [what, how, options] as const,
    ),
);

describe("a function of the embedder", () => {
  const warned: string[] = [];
  beforeEach(() => {
    warned.length = 0;
    vi.spyOn(process, "emitWarning").mockImplementation((warning) => {
      warned.push(String(warning));
    });
  });
  afterEach(() => vi.restoreAllMocks());

  test.each(cases)(
    "%s that %s blocks no request, no test and no stop",
    async (what, _, options) => {
      const emulator = await startEmulator({
        port: 0,
        apiKey: "test-key",
        clock: "manual",
        endpoints: {
          hello: {
            handler(_job, { log }) {
              log.info("a line");
              return "done";
            },
          },
        },
        ...options,
      });
      const headers = { authorization: "test-key" };
      const body = JSON.stringify({ input: {} });
      // Its waiting time is service time, which does not run.
      for (let job = 0; job < 3; job += 1) {
        const url = `${emulator.url}/v2/hello/runsync`;
        const answer = await fetch(url, { method: "POST", headers, body });
        expect(await answer.json()).toMatchObject({ status: "COMPLETED", output: "done" });
      }
      await emulator.idle();
      await emulator.stop();
      // Without a log, or if the log itself fails, the process gets a warning.
      const isCalled = !["storeLost", "log"].includes(what);
      if (isCalled) expect(warned.length).toBeGreaterThan(0);
      const places = new Set(warned);
      expect(places.size, "each defect once").toBe(warned.length);
    },
  );

  test("that throws is logged once, with its stack", async () => {
    const logged: { readonly fields: { readonly err?: unknown }; readonly message: string }[] = [];
    const keep = (fields: object, message: string) => void logged.push({ fields, message });
    await using emulator = await startEmulator({
      port: 0,
      endpoints: { hello: { handler: () => "done" } },
      attemptEnded: thrown,
      log: { info: keep, warn: keep, error: keep },
    });
    await emulator.endpoint("hello").run({});
    await emulator.endpoint("hello").run({});
    const told = logged.filter(({ message }) => message.includes("attemptEnded"));
    expect(told).toHaveLength(1);
    expect(told[0]?.fields.err).toMatchObject({
      message: "the embedder's own defect",
      stack: expect.stringContaining("throwing-callbacks.test.ts"),
    });
  });
});
