/** Failures around containers: the log explains each, and jobs wait or fail by the rules. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ContainerEngine } from "../../../emulator/launch/docker/container-engine.ts";
import { orderOf, templateNamed } from "../../contract/launcher/subject.ts";
import { nodeImage } from "../../setup/docker-node-image.ts";
import { dockerIsMissing, startDocker, type TestDocker } from "../../setup/docker.ts";
import { eventually } from "../jobs/observe.ts";
import { ContainerStage } from "./container-stage.ts";
import { openLauncher } from "./open-launcher.ts";
import { pullRegistry } from "./pull-registry.ts";

/** Number of launches at a time. */
const LANES = 8;
const LAUNCHES = LANES * 25;

describe.skipIf(dockerIsMissing !== undefined)(
  "the log explains that a container does not work",
  () => {
    let docker: TestDocker;
    let stage: ContainerStage;
    let plain: string;

    beforeAll(async () => {
      docker = await startDocker();
      plain = await nodeImage(docker);
      stage = await ContainerStage.set(docker);
    });
    afterAll(async () => {
      await stage[Symbol.asyncDispose]();
      await docker[Symbol.asyncDispose]();
    });

    const logOf = (id: string, words: string) =>
      stage.emulator.stderrMatch(new RegExp(`^(?=.*"endpointId":"${id}").*${words}.*`, "u"));

    test("because its image does not exist", async () => {
      const id = await stage.serve({ imageName: "127.0.0.1:1/no/such:1" });
      const { id: jobId } = await stage.endpoint(id).run({});
      const [line] = await logOf(id, "cannot be pulled");
      expect(line).toMatch(
        /is not on this machine.*check whether this machine reaches the registry/u,
      );
      expect((await stage.endpoint(id).status(jobId)).status).toBe("IN_QUEUE");
      expect(await stage.containers(id)).toEqual([]);
      const problem = expect.stringMatching(/^a worker could not be started: the image .* pulled/u);
      expect(await stage.endpoint(id).health()).toMatchObject({ problem });
    });

    test("because it is no image of a worker", async () => {
      const dockerStartCmd = ["/bin/sh", "-c", "echo hello"];
      const id = await stage.serve({ imageName: plain, dockerStartCmd });
      await stage.endpoint(id).run({});
      await logOf(id, "could not initialize");
      const problem = await eventually("it is told", async () => {
        return (await stage.endpoint(id).health()).problem;
      });
      expect(problem).toMatch(/^a worker ended with code 0 and had never called the service/u);
    });

    test("because the registry refuses its password, until it gets the right one", async ({
      skip,
    }) => {
      skip(await docker.isElsewhere(), "the registry of this test listens on this machine alone");
      await using registry = await pullRegistry({
        command: "echo pulled and run",
        credentials: "me:right",
      });
      const auth = async (name: string, password: string) =>
        stage.call("POST", "/containerregistryauth", { name, username: "me", password });
      const serve = async (containerRegistryAuthId: unknown) =>
        stage.serve({ imageName: registry.image, containerRegistryAuthId }, { workersMin: 1 });
      const without = await stage.serve({ imageName: registry.image }, { workersMin: 1 });
      expect((await logOf(without, "cannot be pulled"))[0]).toContain(
        "the template needs a containerRegistryAuthId",
      );
      const refused = await serve((await auth("wrong", "a-wrong-one"))["id"]);
      expect((await logOf(refused, "cannot be pulled"))[0]).toContain(
        "check the image name, and the username and password",
      );
      const right = await serve((await auth("right", "right"))["id"]);
      await logOf(right, "pulled and run");
      await stage.emulator.stderrMatch(/pulling the image .* of \d+ MB/u);
      for (const id of [without, refused, right]) await stage.call("DELETE", `/endpoints/${id}`);
      expect(stage.emulator.stderrLines.join("\n")).not.toContain("a-wrong-one");
      await stage.containersAre(0, right);
      await docker.ask("rmi", "-f", registry.image);
    });

    test("because its entrypoint is not in the image", async () => {
      const id = await stage.serve({ imageName: plain, dockerEntrypoint: ["/no/such/program"] });
      await stage.endpoint(id).run({});
      const [line] = await logOf(id, "cannot be run");
      expect(line).toMatch(/\/no\/such\/program.*dockerEntrypoint and dockerStartCmd/u);
      await stage.containersAre(0, id);
    });

    test("because the worker itself ran out of memory", async () => {
      await using opened = await openLauncher(docker);
      const template = {
        ...templateNamed(plain),
        dockerStartCmd: ["tail", "/dev/zero"],
        env: { SV_CONTAINER_MEMORY: "32m" },
      };
      const exit = await opened.launcher.launch(orderOf(template)).exited;
      expect(exit).toMatchObject({ signal: "SIGKILL", outOfMemory: true });
    });

    test("because the engine has no driver for its GPUs, which no other worker has", async () => {
      const requests: unknown[] = [];
      await using opened = await openLauncher(docker, {
        around: (engine) => inspecting(engine, docker, requests),
      });
      const template = { ...templateNamed(plain), dockerStartCmd: ["true"] };
      const gpus = ["GPU-1", "GPU-2"].map((id) => ({
        id,
        typeId: "NVIDIA L4",
        isSimulated: false,
      }));
      const exit = await opened.launcher.launch({ ...orderOf(template), gpus }).exited;
      const nvidia = { Driver: "", Count: 0, Capabilities: [["gpu"]], Options: {} };
      expect(requests).toEqual([[{ ...nvidia, DeviceIDs: ["GPU-1", "GPU-2"] }]]);
      expect(exit.startError).toMatch(/install the NVIDIA Container Toolkit/u);
      expect(await opened.containers()).toEqual([]);
    });

    test("for lack of a driver, unless its GPUs are simulated: it starts without them", async () => {
      await using opened = await openLauncher(docker);
      const template = {
        ...templateNamed(plain),
        dockerStartCmd: ["sh", "-c", "echo $SV_GPU_IDS $NVIDIA_VISIBLE_DEVICES"],
      };
      const gpus = [{ id: "0", typeId: "NVIDIA L4", isSimulated: true }];
      const exit = await opened.launcher.launch({ ...orderOf(template), gpus }).exited;
      expect(exit.lastLogLines).toEqual(["0 void"]);
      expect(opened.said).toContainEqual(expect.stringContaining("simulated"));
    });

    test(`${LAUNCHES} launches in a row leave no container, volume or network`, async () => {
      // Counts anonymous volumes only: volumes of pods have names.
      const volumes = async (): Promise<readonly string[]> =>
        (await docker.ask("volume", "ls", "-q")).match(/^[0-9a-f]{64}$/gmu) ?? [];
      const before = await volumes();
      const opened = await openLauncher(docker);
      const template = { ...templateNamed(plain), dockerStartCmd: ["true"] };
      const launchTheirs = async () => {
        const exits = [];
        for (let n = 0; n < LAUNCHES / LANES; n += 1)
          exits.push(await opened.launcher.launch(orderOf(template)).exited);
        return exits;
      };
      const exits = await Promise.all(Array.from({ length: LANES }, launchTheirs));
      expect(exits.flat().filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
      expect(await opened.containers()).toEqual([]);
      expect(await opened.networks()).toHaveLength(1);
      await opened[Symbol.asyncDispose]();
      expect(await opened.networks()).toEqual([]);
      expect((await volumes()).filter((name) => !before.includes(name))).toEqual([]);
    }, 900_000);
  },
);

/** The engine, which records the device requests of each container. */
function inspecting(
  engine: ContainerEngine,
  docker: TestDocker,
  requests: unknown[],
): ContainerEngine {
  const create = engine.create.bind(engine);
  return Object.assign(engine, {
    async create(options: Parameters<typeof create>[0]) {
      const container = await create(options);
      const format = "{{json .HostConfig.DeviceRequests}}";
      const made = await docker.ask("inspect", "--format", format, container.id);
      // The launcher's probe requests no device.
      if (JSON.parse(made) !== null) requests.push(JSON.parse(made));
      return container;
    },
  });
}
