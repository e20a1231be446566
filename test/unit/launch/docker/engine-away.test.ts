/** Containers on an engine that goes away, is silent, or does not report their end. */
import { describe, expect, it } from "vitest";
import { EngineError } from "../../../../emulator/launch/docker/container-engine.ts";
import { templateNamed } from "../../../contract/launcher/subject.ts";
import { FakeClock } from "../../../fake-clock.ts";
import { open } from "./open-scripted.ts";
import { containerOrder } from "./order.ts";
import { GONE, ScriptedEngine } from "./scripted-engine.ts";

const HOUR_MS = 3_600_000;
const LATE = new EngineError("the engine gave no answer for 60 s", undefined, {
  contact: "doubtful",
});

/** A running container, and a clock that stands still. */
async function running() {
  const clock = new FakeClock();
  const opened = open(new ScriptedEngine(), clock);
  const { engine, launcher } = opened;
  const worker = launcher.launch(containerOrder());
  await worker.running;
  await clock.settle();
  const container = engine.at(0);
  let exit: unknown;
  void worker.exited.then((how) => (exit = how));
  const goAway = () => {
    engine.problem = GONE;
    container.fails(GONE);
  };
  const comeBack = () => {
    engine.problem = undefined;
    container.problem = undefined;
  };
  return { ...opened, clock, worker, container, goAway, comeBack, exit: () => exit };
}

describe("an engine that goes away", () => {
  it("makes the launcher refuse with advice, until it is back", async () => {
    const engine = new ScriptedEngine();
    engine.problem = GONE;
    const { launcher } = open(engine);
    expect((await launcher.launch(containerOrder()).exited).startError).toBe("the engine is gone");
    expect(launcher.refuses(templateNamed("a/b"))).toBe("the engine is gone");
    engine.problem = undefined;
    await launcher.reach();
    expect(launcher.refuses(templateNamed("a/b"))).toBeUndefined();
  });

  it("ends no container by its absence, however long it is away", async () => {
    const { clock, container, goAway, comeBack, exit, said, timesWilling, lines } = await running();
    await clock.advance(HOUR_MS);
    goAway();
    await clock.advance(HOUR_MS);
    expect(exit()).toBeUndefined();
    expect(said).toContain("the engine is gone");
    comeBack();
    await clock.advance(5_000);
    expect(timesWilling()).toBe(1);
    // Output and end are received again.
    expect(container.timesAttached).toBe(2);
    container.writes("still here\n");
    expect(lines).toEqual(["still here"]);
    container.exits(3);
    await clock.settle();
    expect(exit()).toMatchObject({ exitCode: 3 });
  });

  it("is the cause of an end during its absence", async () => {
    const { clock, container, goAway, comeBack, exit } = await running();
    goAway();
    await clock.advance(1_000);
    container.endsUnheard(137);
    comeBack();
    await clock.advance(1_000);
    expect(exit()).toMatchObject({ goneWith: "the Docker engine, which was away when it ended" });
  });

  it("is waited for 10 s from the first failure if a container must be killed", async () => {
    const { clock, worker, container, goAway, exit } = await running();
    container.writes("last words\n");
    await clock.advance(HOUR_MS);
    goAway();
    await clock.advance(3_000);
    worker.kill();
    await clock.advance(6_500);
    expect(exit()).toBeUndefined();
    await clock.advance(1_000);
    expect(exit()).toMatchObject({
      goneWith: "the Docker engine: the engine is gone",
      lastLogLines: ["last words"],
    });
  });

  it("gets a signal when it is back that did not reach it before", async () => {
    const { clock, worker, container, goAway, comeBack, exit } = await running();
    goAway();
    worker.drain();
    await clock.advance(1_000);
    worker.kill();
    await clock.advance(1_000);
    comeBack();
    await clock.advance(1_000);
    expect(container.signals).toEqual(["SIGKILL"]);
    await clock.advance(1_000);
    expect(exit()).toMatchObject({ signal: "SIGKILL" });
  });

  it("removes a container when it is back if the request did not reach it before", async () => {
    const { engine, launcher, clock, worker, container, goAway, comeBack } = await running();
    goAway();
    worker.kill();
    await clock.advance(11_000);
    comeBack();
    engine.listed = [{ id: "c0", labels: container.options.Labels ?? {}, createdAt: 0 }];
    await launcher.reach();
    expect(engine.removed).toEqual(["c0"]);
  });

  it("does not count as away if one request takes too long and it answers others", async () => {
    const engine = new ScriptedEngine();
    engine.createError = LATE;
    const { launcher, said } = open(engine);
    expect((await launcher.launch(containerOrder()).exited).startError).toContain("no answer");
    await launcher.reach();
    expect(launcher.refuses(templateNamed("a/b"))).toBeUndefined();
    expect(said).toEqual([expect.stringContaining("runs on this machine")]);
  });
});

describe("an end without an event", () => {
  it("is noticed at the next inspection of the container, after half a minute at most", async () => {
    const { clock, container, exit } = await running();
    await clock.advance(40_000);
    container.endsUnheard(3);
    await clock.advance(19_000);
    expect(exit()).toBeUndefined();
    await clock.advance(1_000);
    expect(exit()).toMatchObject({ exitCode: 3 });
  });

  it("is noticed at once if the container was killed", async () => {
    const { clock, worker, container, exit } = await running();
    await clock.advance(1_000);
    container.isHeard = false;
    worker.kill();
    await clock.settle();
    expect(exit()).toMatchObject({ signal: "SIGKILL" });
  });

  it("is noticed at once when the engine's event stream ends and is opened again", async () => {
    const { clock, container, exit, said } = await running();
    container.fails(LATE);
    container.endsUnheard(3);
    container.problem = undefined;
    await clock.advance(500);
    expect(exit()).toMatchObject({ exitCode: 3 });
    expect(said).toEqual([expect.stringContaining("runs on this machine")]);
  });

  it("is not assumed if the engine answers but fails to report the state for 10 s", async () => {
    const { clock, container, exit } = await running();
    container.fails(new EngineError("driver failed", 500));
    await clock.advance(9_000);
    container.problem = undefined;
    await clock.advance(1_000);
    expect(exit()).toBeUndefined();
    container.fails(new EngineError("driver failed", 500));
    await clock.advance(11_000);
    expect(exit()).toMatchObject({
      goneWith: "the Docker engine: the Docker engine refuses the container: driver failed",
    });
  });
});

describe("a service that stops", () => {
  it("does not wait for containers of a silent engine, and leaves them to the next start", async () => {
    const { engine, launcher, clock, exit, said } = await running();
    engine.isFrozen = true;
    launcher.beginStop();
    await clock.advance(9_000);
    expect(exit()).toBeUndefined();
    await clock.advance(2_000);
    const reason = "it did not answer for 10 s while the service stopped";
    expect(exit()).toMatchObject({ goneWith: `the Docker engine: ${reason}` });
    expect(said).toContain(`containers are left to the next start: ${reason}`);
    await launcher.close();
  });

  it("does not wait for the removal of a network by a silent engine", async () => {
    const { engine, launcher, clock, container } = await running();
    container.exits(0);
    await clock.settle();
    engine.remove = async () => new Promise(() => undefined);
    let isClosed = false;
    void launcher.close().then(() => (isClosed = true));
    await clock.advance(10_000);
    expect(isClosed).toBe(true);
  });

  it("waits for all containers if the engine answers", async () => {
    const { launcher, clock, container, exit } = await running();
    launcher.beginStop();
    await clock.advance(HOUR_MS);
    expect(exit()).toBeUndefined();
    container.exits(0);
    await clock.settle();
    expect(exit()).toMatchObject({ exitCode: 0 });
  });
});

it("an engine other than Docker's is named once", async () => {
  const engine = new ScriptedEngine();
  engine.foreign = "Podman Engine 4.3.1";
  const { launcher, said } = open(engine);
  await launcher.reach();
  await launcher.reach();
  expect(said).toEqual([
    expect.stringContaining("the engine is Podman Engine 4.3.1, not Docker's own"),
  ]);
});

it("an engine that never describes itself is used", async () => {
  const engine = new ScriptedEngine();
  engine.describe = () => new Promise(() => undefined);
  const { launcher } = open(engine);
  await expect(launcher.reach()).resolves.toBeUndefined();
});

describe("memory that ran out", () => {
  it("is the cause of an end, although the engine reports it only afterwards", async () => {
    const { clock, container, exit } = await running();
    container.exits(137);
    await clock.advance(500);
    expect(exit()).toBeUndefined();
    container.runsOutOfMemory();
    await clock.settle();
    expect(exit()).toMatchObject({ signal: "SIGKILL", outOfMemory: true });
  });

  it("is searched for during a second if the cause of an end is unknown, and not after an ordered end", async () => {
    const unknown = await running();
    unknown.container.exits(137);
    await unknown.clock.advance(1_000);
    expect(unknown.exit()).toMatchObject({ signal: "SIGKILL", outOfMemory: false });
    const ordered = await running();
    ordered.worker.kill();
    await ordered.clock.settle();
    expect(ordered.exit()).toMatchObject({ signal: "SIGKILL", outOfMemory: false });
  });
});
