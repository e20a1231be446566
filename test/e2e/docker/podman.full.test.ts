/** Workers in containers of Podman, which answers like Docker's engine and differs in details. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestDocker } from "../../setup/docker.ts";
import { podmanIsMissing, startPodman } from "../../setup/podman.ts";
import { buildWorkerImages, ContainerStage, type WorkerImages } from "./container-stage.ts";

describe.skipIf(podmanIsMissing() !== undefined)("workers in containers of Podman", () => {
  let podman: TestDocker;
  let images: WorkerImages;
  let stage: ContainerStage;

  beforeAll(async () => {
    podman = await startPodman();
    images = await buildWorkerImages(podman);
    stage = await ContainerStage.set(podman);
  });
  afterAll(async () => {
    await stage[Symbol.asyncDispose]();
    await podman[Symbol.asyncDispose]();
  });

  test("the first container runs jobs by the socket, and uploads at its first try", async () => {
    const id = await stage.serve({ imageName: images.worker });
    const upload = { do: "upload", file: "hello.txt", text: "from a container" };
    const { output } = await stage.endpoint<{ readonly url: string }>(id).runSync(upload);
    expect(await (await fetch(output?.url ?? "")).text()).toBe("from a container");
    await stage.emulator.stderrMatch(/the Docker engine runs on this machine/u);
    await stage.emulator.stderrMatch(/the engine is Podman/u);
  });

  test("the end of a container is heard at once", async () => {
    const id = await stage.serve({ imageName: images.worker }, { workersMin: 0, idleTimeout: 1 });
    await stage.endpoint(id).runSync({});
    await stage.emulator.stderrMatch(/worker has left/u);
    await stage.containersAre(0, id);
    expect(stage.emulator.stderrLines.join("\n")).not.toMatch(/said nothing for/u);
  });

  test("containers of a killed emulator are removed at the next start", async () => {
    const id = await stage.serve({ imageName: images.worker }, { workersMin: 1 });
    await stage.endpoint(id).runSync({});
    const [before] = await stage.containersAre(1, id);
    await stage.kill();
    await stage.start();
    await stage.emulator.stderrMatch(/removed containers of killed emulators/u);
    expect(await stage.containers(id)).not.toContain(before);
  });
});
