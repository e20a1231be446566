/**
 * The location of the engine, found by its kernel and by a container that never starts, and what the engine sees of this
 * machine.
 */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../../../emulator/launch/docker/container-engine.ts";
import { FakeClock } from "../../../fake-clock.ts";
import { temporaryDirectory } from "../../../setup/temporary-directory.ts";
import { open } from "./open-scripted.ts";
import { containerOrder, SOCKET } from "./order.ts";
import { GATEWAY, GONE, ScriptedEngine } from "./scripted-engine.ts";

const UNSEEN = new EngineError(
  `invalid mount config for type "bind": bind source path does not exist: ${SOCKET}`,
  400,
);
const HERE = /^the Docker engine runs on this machine/u;
const ELSEWHERE = /^the Docker engine runs in a virtual machine or on another machine, because /u;

async function launchedOn(engine: ScriptedEngine) {
  const opened = open(engine);
  opened.launcher.launch(containerOrder());
  await opened.made(1);
  return opened;
}

describe("an engine", () => {
  it("with this kernel that reaches the worker port runs here; the log says so once", async () => {
    const engine = new ScriptedEngine();
    const { launcher, made, routes, said } = await launchedOn(engine);
    launcher.launch(containerOrder());
    await made(2);
    const route = { engine: "here", gateway: GATEWAY };
    expect(routes).toEqual([route, route]);
    expect(said.filter((line) => HERE.test(line))).toHaveLength(1);
    expect(engine.probes).toHaveLength(1);
    expect(engine.probes[0]).toMatchObject({
      Image: "some/image:1",
      HostConfig: { Mounts: [{ Source: path.dirname(SOCKET) }] },
    });
  });

  it.each([
    [{ kernel: "6.10.14-linuxkit" }, "its kernel is 6.10.14-linuxkit, and", 0],
    [{ probeError: UNSEEN }, `it does not see ${SOCKET}`, 1],
    [{ seesMounts: false }, `it does not see ${SOCKET}`, 1],
  ])("with %o runs elsewhere, and the log says why", async (differs, why, probes) => {
    const engine = Object.assign(new ScriptedEngine(), differs);
    const { routes, said } = await launchedOn(engine);
    expect(routes).toEqual([{ engine: "elsewhere" }]);
    expect(said).toContainEqual(expect.stringMatching(ELSEWHERE));
    expect(said.join()).toContain(why);
    expect(engine.probes).toHaveLength(probes);
  });

  it("with a network gateway that is not an address of this machine runs elsewhere, unless it is rootless or makes it later", async () => {
    const engine = new ScriptedEngine();
    const gateway = "192.0.2.1";
    engine.networks.set("sv-mine", { gateway, options: {} });
    const { routes, said } = await launchedOn(engine);
    expect(routes).toEqual([{ engine: "elsewhere" }]);
    expect(said.join()).toContain(
      `${gateway}, the gateway of its containers, is not an address of`,
    );
    expect(engine.probes).toEqual([]);
    const others = [
      [{ isRootless: true }, undefined],
      [{ foreign: "Podman Engine 4.3.1" }, gateway],
    ] as const;
    for (const [differs, reached] of others) {
      const other = Object.assign(new ScriptedEngine(), differs);
      other.networks.set("sv-mine", { gateway, options: {} });
      const second = await launchedOn(other);
      expect(second.routes).toEqual([{ engine: "here", gateway: reached }]);
    }
  });

  it("that does not report its kernel is located by the worker port that it reaches", async () => {
    const engine = new ScriptedEngine();
    engine.kernel = undefined;
    const { routes } = await launchedOn(engine);
    expect(routes).toMatchObject([{ engine: "here" }]);
  });

  it("that refuses the check fails only that start, and is checked again", async () => {
    const engine = new ScriptedEngine();
    engine.probeError = new EngineError("not today", 500);
    const { launcher, made, routes } = open(engine);
    expect((await launcher.launch(containerOrder()).exited).startError).toContain("not today");
    engine.probeError = undefined;
    launcher.launch(containerOrder());
    await made(1);
    expect(routes).toMatchObject([{ engine: "here" }]);
  });

  it("that was away is located again, because it may be another engine", async () => {
    const clock = new FakeClock();
    const engine = new ScriptedEngine();
    const { launcher, routes, said } = open(engine, clock);
    const first = launcher.launch(containerOrder());
    await first.running;
    engine.problem = GONE;
    engine.at(0).fails(GONE);
    await clock.advance(1_000);
    engine.problem = undefined;
    engine.at(0).problem = undefined;
    engine.kernel = "another";
    await clock.advance(5_000);
    await launcher.launch(containerOrder()).running;
    expect(routes.map((route) => route.engine)).toEqual(["here", "elsewhere"]);
    expect(said).toContainEqual(expect.stringMatching(ELSEWHERE));
  });
});

describe("a network volume on an engine elsewhere", () => {
  const elsewhere = () => Object.assign(new ScriptedEngine(), { kernel: "another" });

  it("is checked once, by a temporary file in it", async () => {
    using volume = temporaryDirectory();
    const { launcher, engine } = open(elsewhere(), undefined, volume.path);
    await launcher.launch(containerOrder()).running;
    await launcher.launch(containerOrder()).running;
    expect(engine.at(0).asked).toEqual([
      expect.stringMatching(/^\/workspace\/\.sv-seen-[\da-f-]{36}$/u),
    ]);
    expect(engine.at(1).asked).toEqual([]);
    expect(fs.readdirSync(volume.path)).toEqual([]);
  });

  it("that is another directory there fails the start with a message that names it, and leaves nothing behind", async () => {
    using volume = temporaryDirectory();
    const engine = elsewhere();
    engine.seesMounts = false;
    const { launcher } = open(engine, undefined, volume.path);
    const { startError } = await launcher.launch(containerOrder()).exited;
    expect(startError).toContain(`does not see ${volume.path} of this machine`);
    expect(startError).toMatch(/share it .*; an engine on another machine cannot mount it$/u);
    expect(engine.removed).toEqual(["c0"]);
    expect(fs.readdirSync(volume.path)).toEqual([]);
  });

  it("that does not exist there fails the start too", async () => {
    using volume = temporaryDirectory();
    const engine = elsewhere();
    engine.createError = new EngineError(
      `invalid mount config for type "bind": bind source path does not exist: ${volume.path}`,
      400,
    );
    const { launcher } = open(engine, undefined, volume.path);
    const { startError } = await launcher.launch(containerOrder()).exited;
    expect(startError).toContain(`does not see ${volume.path} of this machine`);
  });

  it("is not checked on an engine of this machine", async () => {
    using volume = temporaryDirectory();
    const { launcher, engine } = open(new ScriptedEngine(), undefined, volume.path);
    await launcher.launch(containerOrder()).running;
    expect(engine.at(0).asked).toEqual([]);
  });
});
