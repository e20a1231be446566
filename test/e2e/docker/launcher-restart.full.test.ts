/** Killed emulators and engines: no container is left running, and no job is lost. */
import fs from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dockerIsMissing, startOwnDocker, type StoppableDocker } from "../../setup/docker.ts";
import { eventually } from "../jobs/observe.ts";
import { buildWorkerImages, ContainerStage, type WorkerImages } from "./container-stage.ts";

const NO_ORPHAN_MS = 10_000;
const STOP_LIMIT_MS = 15_000;
const VOLUME = { name: "v", size: 1, dataCenterId: "EU-RO-1" };

describe.skipIf(dockerIsMissing !== undefined)("when an emulator or an engine is gone", () => {
  let docker: StoppableDocker;
  let images: WorkerImages;
  let stage: ContainerStage;

  beforeAll(async () => {
    docker = await startOwnDocker();
    images = await buildWorkerImages(docker);
    stage = await ContainerStage.set(docker);
  });
  afterAll(async () => {
    docker.thaw();
    await docker.start();
    await stage[Symbol.asyncDispose]();
    await docker[Symbol.asyncDispose]();
  });

  /** A network volume, and a function that releases the jobs that wait for a file on it. */
  async function makeVolume() {
    const { id } = await stage.call("POST", "/networkvolumes", VOLUME);
    const go = () => fs.writeFileSync(stage.data("volumes", String(id), "go"), "");
    return { networkVolumeId: id, go };
  }

  async function allGone(old: readonly string[], limitMs?: number): Promise<void> {
    const anyLeft = async () => {
      const now = await stage.containers();
      return old.some((each) => now.includes(each)) ? undefined : true;
    };
    await eventually("none of the old containers is left", anyLeft, limitMs);
  }

  test("the next emulator removes the containers of a killed one, and runs their jobs", async () => {
    const { networkVolumeId, go } = await makeVolume();
    const scaler = { scalerType: "REQUEST_COUNT", scalerValue: 1 };
    const fields = { networkVolumeId, workersMax: 3, ...scaler };
    const id = await stage.serve({ imageName: images.worker }, fields);
    // These containers have no worker that notices the end of its emulator.
    const stubborn = await stage.serve(
      { imageName: images.plain, dockerStartCmd: ["sleep", "1000"] },
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
    go();
    await stage.start();
    const since = performance.now();
    await allGone(old, NO_ORPHAN_MS);
    console.log(
      `figure: five orphans gone ${(performance.now() - since).toFixed(0)} ms after the start`,
    );
    for (const { id: jobId } of [...running, queued]) {
      expect((await stage.ended(id, jobId)).status).toBe("COMPLETED");
    }
    for (const each of [id, stubborn]) await stage.call("DELETE", `/endpoints/${each}`);
  });

  /** An endpoint with two jobs; the first one runs until a file exists. */
  async function jobUnderWay() {
    const { networkVolumeId, go } = await makeVolume();
    const id = await stage.serve({ imageName: images.hasty }, { networkVolumeId });
    const endpoint = stage.endpoint(id);
    const running = await endpoint.run({ n: 1, until: "go" });
    await eventually("the first job runs", async () =>
      (await endpoint.status(running.id)).status === "IN_PROGRESS" ? true : undefined,
    );
    const queued = await endpoint.run({ n: 2 });
    const old = await stage.containersAre(1, id);
    const expectBack = async () => {
      go();
      for (const { id: jobId } of [running, queued]) {
        expect((await stage.ended(id, jobId)).status).toBe("COMPLETED");
      }
      await allGone(old);
    };
    return { status: async () => (await endpoint.status(running.id)).status, expectBack };
  }

  test("the log reports an engine that was stopped in mid-job, and all jobs run when it is back", async () => {
    const { status, expectBack } = await jobUnderWay();
    await docker.stop();
    const [line] = await stage.emulator.stderrMatch(/no worker can be started.*/u);
    expect(line).toMatch(/no Docker engine answers at unix:.*install Docker or start it/u);
    await eventually("the lost worker's job waits again", async () =>
      (await status()) === "IN_QUEUE" ? true : undefined,
    );
    await docker.start();
    await stage.emulator.stderrMatch(/the Docker engine answers again/u);
    await expectBack();
  });

  test("all jobs of an engine that was killed in mid-job run when it is back", async () => {
    const { expectBack } = await jobUnderWay();
    await docker.stop("SIGKILL");
    await docker.start();
    await expectBack();
  });

  test("the emulator can stop beside a frozen engine, and the next emulator finishes the job", async () => {
    const { expectBack } = await jobUnderWay();
    docker.freeze();
    const since = performance.now();
    const exit = await stage.emulator.stop();
    const tookMs = performance.now() - since;
    console.log(`figure: stopped ${tookMs.toFixed(0)} ms after SIGTERM, with a frozen engine`);
    expect({ ...exit, isInTime: tookMs < STOP_LIMIT_MS }).toMatchObject({
      code: 0,
      isInTime: true,
    });
    await stage.emulator.stderrMatch(/containers are left to the next start/u);
    docker.thaw();
    await stage.kill();
    await stage.start();
    await expectBack();
  });
});
