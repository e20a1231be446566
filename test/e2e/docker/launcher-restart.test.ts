/** Killed emulators and engines: nothing is left running, and no job is lost. */
import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { dockerIsMissing, startDocker } from "../../setup/docker.ts";
import { eventually } from "../jobs/observe.ts";
import { buildWorkerImages, ContainerStage } from "./container-stage.ts";

const NO_ORPHAN_MS = 10_000;

describe.skipIf(dockerIsMissing !== undefined)("when what a container needs is gone", () => {
  test("the emulator was killed: the next one removes its containers, and runs the jobs", async () => {
    await using docker = await startDocker();
    const { worker, plain } = await buildWorkerImages(docker);
    await using stage = await ContainerStage.set(docker);
    const volume = await stage.call("POST", "/networkvolumes", {
      name: "v",
      size: 1,
      dataCenterId: "EU-RO-1",
    });
    const id = await stage.serve(
      { imageName: worker },
      {
        networkVolumeId: volume["id"],
        workersMax: 3,
        scalerType: "REQUEST_COUNT",
        scalerValue: 1,
      },
    );
    // These have no worker in them that would see the end of its emulator.
    const stubborn = await stage.serve(
      { imageName: plain, dockerStartCmd: ["sleep", "1000"] },
      { workersMin: 2, workersMax: 2 },
    );
    const running = await Promise.all(
      [1, 2, 3].map(async (n) => stage.endpoint(id).run({ n, until: "go" })),
    );
    await eventually("three jobs run", async () => {
      const { jobs } = await stage.endpoint(id).health();
      return jobs.inProgress === 3 ? true : undefined;
    });
    const queued = await stage.endpoint(id).run({ n: 4 });
    const old = [
      ...(await stage.containersAre(3, id)),
      ...(await stage.containersAre(2, stubborn)),
    ];
    await stage.kill();
    fs.writeFileSync(stage.data("volumes", String(volume["id"]), "go"), "");
    await stage.start();
    const since = performance.now();
    await eventually(
      "none of the old containers is left",
      async () => {
        const now = await stage.containers();
        return old.some((each) => now.includes(each)) ? undefined : true;
      },
      NO_ORPHAN_MS,
    );
    console.log(
      `figure: five orphans gone ${(performance.now() - since).toFixed(0)} ms after the start`,
    );
    for (const { id: jobId } of [...running, queued]) {
      expect((await stage.ended(id, jobId)).status).toBe("COMPLETED");
    }
  }, 180_000);

  test("the engine was stopped in mid-job: the log says so, and the job waits for another", async () => {
    const docker = await startDocker({ own: true });
    await using stage = await ContainerStage.set(docker);
    const { worker } = await buildWorkerImages(docker);
    const id = await stage.serve({ imageName: worker });
    const endpoint = stage.endpoint(id);
    const { id: jobId } = await endpoint.run({ do: "wait" });
    await stage.emulator.stderrMatch(/"msg":"waiting"/u);
    await docker[Symbol.asyncDispose]();
    const [line] = await stage.emulator.stderrMatch(/no worker can be started.*/u);
    expect(line).toMatch(/no Docker engine answers at unix:.*install Docker or start it/u);
    expect((await endpoint.status(jobId)).status).toBe("IN_QUEUE");
    stage.forgetContainers();
  }, 180_000);
});
