/** The Docker launcher on a scripted engine: its calls, and its use of the answers. */
import { describe, expect, it } from "vitest";
import { ownedName } from "../../../../runtime/leftovers/owner.ts";
import { EngineError } from "../../../../emulator/launch/docker/container-engine.ts";
import { eventually } from "../../../e2e/jobs/observe.ts";
import { templateNamed } from "../../../contract/launcher/subject.ts";
import { open } from "./open-scripted.ts";
import { containerOrder } from "./order.ts";
import { ScriptedEngine } from "./scripted-engine.ts";

it("the launcher refuses handler files and invalid settings", () => {
  const { launcher } = open();
  expect(launcher.refuses(templateNamed("sv.local/hello"))).toContain("handler files");
  const template = { ...templateNamed("a/b"), env: { SV_CONTAINER_MEMORY: "much" } };
  expect(launcher.refuses(template)).toContain("SV_CONTAINER_MEMORY must be");
  expect(launcher.refuses(templateNamed("a/b"))).toBeUndefined();
});

it("the launcher refuses an invalid image name of an old record, and no other start for it", async () => {
  const { launcher } = open();
  expect(launcher.refuses(templateNamed("Some Image"))).toContain(
    'no image can have this name: the character " "',
  );
  expect(launcher.refuses(templateNamed("a/b"))).toBeUndefined();
});

it("an impossible request to the engine fails only its own start", async () => {
  const engine = new ScriptedEngine();
  engine.createError = new EngineError("cannot be asked: ERR_UNESCAPED_CHARACTERS", undefined);
  const { launcher, made } = open(engine);
  expect((await launcher.launch(containerOrder()).exited).startError).toContain("ERR_UNESCAPED");
  expect(launcher.refuses(templateNamed("a/b"))).toBeUndefined();
  launcher.launch(containerOrder());
  await made(1);
});

it("the launcher gives a worker time to load before its first message", async () => {
  const { launcher } = open();
  expect(launcher.launch(containerOrder()).speaksLate).toBe(true);
});

describe("a missing image", () => {
  it("is pulled once for all workers, and their start time begins after the pull", async () => {
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
  });

  it("is no longer pulled if no worker waits for it any more", async () => {
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

  it("fails the start if its registry does not have it", async () => {
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

it("the launcher removes a container that could not be started, and reports the reason", async () => {
  const engine = new ScriptedEngine();
  engine.startError = new EngineError("no space left", 500);
  const { launcher } = open(engine);
  const { startError } = await launcher.launch(containerOrder()).exited;
  expect(startError).toContain("no space left");
  expect(engine.removed).toEqual(["c0"]);
});

it("the launcher sets no disk limit if the engine supports none, and reports that once", async () => {
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
});

it("the launcher removes the containers of killed emulators, and none of running ones", async () => {
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

it("the launcher returns the address of a load balancing worker's server", async () => {
  const { engine, launcher, made } = open();
  const worker = launcher.launch(containerOrder({}, { type: "LOAD_BALANCING" }));
  await made(1);
  expect(await worker.server).toEqual({ port: 4_001, healthPort: 4_001, healthPath: "/ping" });
  engine.at(0).exits(0);
  expect(await worker.exited).toMatchObject({ exitCode: 0 });
});
