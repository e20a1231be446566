/** The network of an emulator's containers: made for the first container, and removed at the end. */
import { expect, it } from "vitest";
import { ownedName } from "../../../../../runtime/leftovers/owner.ts";
import { EngineError } from "../../../../../emulator/launch/docker/container-engine.ts";
import { open } from "../open-scripted.ts";
import { containerOrder } from "../order.ts";
import { GATEWAY, ScriptedEngine } from "../scripted-engine.ts";

const here = (gateway: string) => ({ engine: "here", gateway });

const ICC = "com.docker.network.bridge.enable_icc";

it("isolates its containers, is otherwise like the default network, and is removed with the last container", async () => {
  const { engine, launcher, made, routes } = open();
  launcher.launch(containerOrder());
  launcher.launch(containerOrder());
  await made(2);
  const modes = engine.containers.map(({ options }) => options.HostConfig?.NetworkMode);
  expect(modes).toEqual(["sv-mine", "sv-mine"]);
  expect(engine.networks.get("sv-mine")?.options).toEqual({
    [ICC]: "false",
    "com.docker.network.driver.mtu": "1400",
  });
  expect(routes).toEqual([here(GATEWAY), here(GATEWAY)]);
  await launcher.close();
  expect([...engine.networks.keys()]).toEqual(["bridge"]);
});

it("is the engine's default network if the engine cannot create another one, and the log says so", async () => {
  const engine = new ScriptedEngine();
  engine.networkError = new EngineError("cannot restrict inter-container communication", 500);
  const { launcher, made, routes, said } = open(engine);
  launcher.launch(containerOrder());
  await made(1);
  expect(engine.at(0).options.HostConfig?.NetworkMode).toBe("bridge");
  expect(routes).toEqual([here("127.0.0.17")]);
  expect(said).toContainEqual(
    expect.stringMatching(/^containers can reach each other: .* cannot restrict inter-container/u),
  );
});

it("lacks isolation if the engine ignores the option, and the log says so", async () => {
  const engine = new ScriptedEngine();
  engine.createNetwork = async ({ name }) =>
    void engine.networks.set(name, { gateway: "127.0.0.89", options: {} });
  const { launcher, made, routes, said } = open(engine);
  launcher.launch(containerOrder());
  await made(1);
  expect(routes).toEqual([here("127.0.0.89")]);
  expect(said).toContain("containers can reach each other: the engine does not support the option");
});

it("of a killed emulator is removed, and that of a running one is not", async () => {
  const dead = ownedName("sv").replace(/-[^-]*-[^-]*$/u, `-${(2 ** 22 + 5).toString(36)}-1`);
  const labelled = (id: string, emulator: string, owner: string) => ({
    id,
    createdAt: Date.now(),
    labels: { "sv.emulator": emulator, "sv.owner": `${owner}-network` },
  });
  const engine = new ScriptedEngine();
  engine.listedNetworks = [
    labelled("of my data directory", "mine", dead),
    labelled("of a dead process", "another", dead),
    labelled("of this process, another emulator", "another", ownedName("sv")),
  ];
  const { launcher, made } = open(engine);
  await launcher.reach();
  expect(engine.removed.toSorted()).toEqual(["of a dead process", "of my data directory"]);
  engine.listedNetworks = [labelled("of this run", "mine", ownedName("sv"))];
  engine.createError = new EngineError("late", undefined, { contact: "doubtful" });
  await launcher.launch(containerOrder()).exited;
  await launcher.reach();
  expect(engine.removed).not.toContain("of this run");
  launcher.launch(containerOrder());
  await made(1);
});
