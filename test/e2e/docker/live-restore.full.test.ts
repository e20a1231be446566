/** An engine that keeps containers running during its restart: workers and their jobs are kept. */
import fs from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dockerIsMissing, startOwnDocker, type StoppableDocker } from "../../setup/docker.ts";
import { eventually } from "../jobs/observe.ts";
import { buildWorkerImages, ContainerStage, type WorkerImages } from "./container-stage.ts";

const VOLUME = { name: "v", size: 1, dataCenterId: "EU-RO-1" };

describe.skipIf(dockerIsMissing !== undefined)("an engine started with --live-restore", () => {
  let docker: StoppableDocker;
  let images: WorkerImages;
  let stage: ContainerStage;

  beforeAll(async () => {
    docker = await startOwnDocker({ liveRestore: true });
    images = await buildWorkerImages(docker);
    stage = await ContainerStage.set(docker);
  });
  afterAll(async () => {
    await docker.start();
    await stage[Symbol.asyncDispose]();
    await docker[Symbol.asyncDispose]();
  });

  test.each([
    ["SIGTERM", 12_000],
    ["SIGKILL", 0],
  ] as const)(
    "that is ended by %s in mid-job and started %i ms later costs the job no attempt",
    async (signal, awayMs) => {
      const { id: networkVolumeId } = await stage.call("POST", "/networkvolumes", VOLUME);
      const id = await stage.serve({ imageName: images.worker }, { networkVolumeId });
      const endpoint = stage.endpoint(id);
      const { id: jobId } = await endpoint.run({ n: 1, until: "go" });
      await eventually("the job runs", async () =>
        (await endpoint.status(jobId)).status === "IN_PROGRESS" ? true : undefined,
      );
      const [container] = await stage.containersAre(1, id);
      await docker.stop(signal);
      await wait(awayMs);
      await docker.start();
      await stage.emulator.stderrMatch(/the Docker engine answers again/u);
      expect(await stage.containers(id)).toEqual([container]);
      fs.writeFileSync(stage.data("volumes", String(networkVolumeId), "go"), "");
      const job = await stage.ended(id, jobId);
      expect(job.status).toBe("COMPLETED");
      expect(job).not.toHaveProperty("retries");
      // The emulator receives output and ends again.
      await stage.call("DELETE", `/endpoints/${id}`);
      await stage.containersAre(0, id);
    },
  );
});
