/** The Docker launcher on an engine that is played: what it asks for, and what it makes of the answers. */
import { describe, expect, it } from "vitest";
import { ownedName } from "../../../../runtime/leftovers/owner.ts";
import { EngineError } from "../../../../emulator/launch/docker/container-engine.ts";
import { createDockerLauncher } from "../../../../emulator/launch/docker/docker-launcher.ts";
import { eventually } from "../../../e2e/jobs/observe.ts";
import { templateNamed } from "../../../contract/launcher/subject.ts";
import { containerOrder, PLACES } from "./order.ts";
import { GONE, ScriptedEngine } from "./scripted-engine.ts";

function open(engine = new ScriptedEngine(), engineBackMs = 50) {
  const said: string[] = [];
  const lines: string[] = [];
  const say = (_: object, message: string) => void said.push(message);
  let timesWilling = 0;
  const launcher = createDockerLauncher({
    engine,
    emulator: "mine",
    placesOf: async () => PLACES,
    networkVolumeOf: async () => "/volumes/v",
    podLine: (_, line) => void lines.push(line),
    credentialsOf: async () => undefined,
    line: (_, line) => void lines.push(line),
    willing: () => void (timesWilling += 1),
    log: { info: say, warn: say },
    engineBackMs,
  });
  const made = (count: number) =>
    eventually("it is made", () => (engine.containers.length === count ? true : undefined));
  return { engine, launcher, said, lines, made, timesWilling: () => timesWilling };
}

it("refuses handler files, and settings that make no sense", () => {
  const { launcher } = open();
  expect(launcher.refuses(templateNamed("sv.local/hello"))).toContain("handler files");
  const template = { ...templateNamed("a/b"), env: { SV_CONTAINER_MEMORY: "much" } };
  expect(launcher.refuses(template)).toContain("SV_CONTAINER_MEMORY must be");
  expect(launcher.refuses(templateNamed("a/b"))).toBeUndefined();
});

it("gives a worker the time to load what it needs before it says a word", async () => {
  const { launcher } = open();
  expect(launcher.launch(containerOrder()).speaksLate).toBe(true);
  await launcher.close();
});

describe("an image that is not here", () => {
  it("is pulled once for all workers, whose time begins when they run", async () => {
    const release = Promise.withResolvers<void>();
    const engine = new ScriptedEngine();
    engine.hasImages = false;
    engine.messages = async function* slow() {
      await release.promise;
      yield { status: "Pulling fs layer", id: "a" };
    };
    const { launcher, made } = open(engine);
    const workers = [launcher.launch(containerOrder()), launcher.launch(containerOrder())];
    let running = 0;
    for (const worker of workers) void worker.running?.then(() => (running += 1));
    await eventually("it is pulled", () => (engine.pulled.length > 0 ? true : undefined));
    expect([running, engine.containers.length]).toEqual([0, 0]);
    release.resolve();
    await made(2);
    for (const { running: runs } of workers) await runs;
    expect(engine.pulled).toEqual(["some/image:1"]);
    await launcher.close();
  });

  it("may be of a worker that says nothing until it is ready", async () => {
    const { launcher } = open(new ScriptedEngine());
    const worker = launcher.launch(containerOrder());
    expect(worker.speaksLate).toBe(true);
    worker.kill();
    await worker.exited;
  });

  it("is pulled no further when nobody waits for it any more", async () => {
    const engine = new ScriptedEngine();
    engine.hasImages = false;
    engine.messages = async function* never() {
      yield await new Promise(() => undefined);
    };
    const { launcher } = open(engine);
    const worker = launcher.launch(containerOrder());
    await eventually("it is pulled", () => (engine.pulled.length > 0 ? true : undefined));
    worker.drain();
    expect(await worker.exited).toMatchObject({ exitCode: 0, startError: undefined });
    const next = launcher.launch(containerOrder());
    await eventually("it is pulled anew", () => (engine.pulled.length > 1 ? true : undefined));
    next.kill();
    expect(await next.exited).toMatchObject({ signal: "SIGKILL" });
  });

  it("is a failed start when its registry does not have it", async () => {
    const engine = new ScriptedEngine();
    engine.hasImages = false;
    engine.messages = async function* refused() {
      yield { error: "manifest unknown" };
    };
    const { launcher } = open(engine);
    const { startError } = await launcher.launch(containerOrder()).exited;
    expect(startError).toMatch(/some\/image:1 .* cannot be pulled: manifest unknown/u);
  });
});

it("removes a container that could not be started, and says why", async () => {
  const engine = new ScriptedEngine();
  engine.startError = new EngineError("no space left", 500);
  const { launcher } = open(engine);
  const { startError } = await launcher.launch(containerOrder()).exited;
  expect(startError).toContain("no space left");
  expect(engine.removed).toEqual(["c0"]);
});

it("does without a limit of the disk where the engine has none, and says so once", async () => {
  const engine = new ScriptedEngine();
  engine.createError = new EngineError("--storage-opt is supported only for overlay over xfs", 500);
  const { launcher, made, said } = open(engine);
  const order = () => containerOrder({ env: { SV_CONTAINER_PRIVILEGES: "image" } });
  launcher.launch(order());
  await made(1);
  launcher.launch(order());
  await made(2);
  expect(engine.at(0).options.HostConfig).not.toHaveProperty("StorageOpt");
  expect(said.filter((line) => line.includes("containerDiskInGb"))).toHaveLength(1);
  await launcher.close();
});

describe("an engine that goes away", () => {
  it("makes the launcher refuse with what to do, until it is back", async () => {
    const engine = new ScriptedEngine();
    engine.problem = GONE;
    const { launcher } = open(engine);
    expect((await launcher.launch(containerOrder()).exited).startError).toBe("the engine is gone");
    expect(launcher.refuses(templateNamed("a/b"))).toBe("the engine is gone");
    engine.problem = undefined;
    await launcher.reach();
    expect(launcher.refuses(templateNamed("a/b"))).toBeUndefined();
    await launcher.close();
  });

  it("while a worker runs is the cause of that worker's end", async () => {
    const { engine, launcher, made, said } = open();
    const worker = launcher.launch(containerOrder());
    await made(1);
    await worker.running;
    engine.at(0).writes("last words\n");
    engine.problem = GONE;
    engine.at(0).fails(GONE);
    expect(await worker.exited).toMatchObject({
      goneWith: "the Docker engine: the engine is gone",
      lastLogLines: ["last words"],
    });
    expect(said).toContain("the engine is gone");
    await launcher.close();
  });

  it("wakes whoever waits when it is back, and removes what it could not be told to", async () => {
    const { engine, launcher, made, timesWilling } = open();
    const order = containerOrder();
    const worker = launcher.launch(order);
    await made(1);
    await worker.running;
    engine.problem = GONE;
    engine.at(0).fails(GONE);
    await worker.exited;
    engine.problem = undefined;
    engine.listed = [{ id: "c0", labels: engine.at(0).options.Labels ?? {}, createdAt: 0 }];
    await launcher.reach();
    expect(engine.removed).toEqual(["c0"]);
    expect(timesWilling()).toBe(1);
    await launcher.close();
  });
});

it("removes what killed emulators left, and nothing of those that run", async () => {
  const dead = ownedName("sv").replace(/-[^-]*-[^-]*$/u, `-${(2 ** 22 + 5).toString(36)}-1`);
  const labelled = (id: string, emulator: string, owner: string, createdAt = Date.now()) => ({
    id,
    createdAt,
    labels: { "sv.emulator": emulator, "sv.owner": `${owner}-w`, "sv.worker": "w" },
  });
  const engine = new ScriptedEngine();
  engine.listed = [
    labelled("of my data directory", "mine", "sv-other0-1-1"),
    labelled("of a dead process", "another", dead),
    labelled("of this process, another emulator", "another", ownedName("sv")),
    labelled("of another machine", "another", "sv-other0-1-1"),
    labelled("of another machine, old", "another", "sv-other0-1-1", 0),
    labelled("of nobody", "another", "what"),
  ];
  const { launcher } = open(engine);
  await launcher.reach();
  expect(engine.removed.toSorted()).toEqual([
    "of a dead process",
    "of another machine, old",
    "of my data directory",
  ]);
});

it("tells where the server of a load balancing worker answers", async () => {
  const { engine, launcher, made } = open();
  const worker = launcher.launch(containerOrder({}, { type: "LOAD_BALANCING" }));
  await made(1);
  expect(await worker.server).toEqual({ port: 4_001, healthPort: 4_001, healthPath: "/ping" });
  engine.at(0).exits(0);
  expect(await worker.exited).toMatchObject({ exitCode: 0 });
  await launcher.close();
});
