/** An engine with a full disk: the log says what to do, jobs wait, and the image is pulled when there is room. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { dockerIsMissing, startOwnDocker } from "../../setup/docker.ts";
import { mountTmpfs, tmpfsIsMissing } from "../../setup/tmpfs.ts";
import { eventually } from "../jobs/observe.ts";
import { ContainerStage } from "./container-stage.ts";
import { pullRegistry } from "./pull-registry.ts";

const MB = 1024 ** 2;
const DISK_BYTES = 96 * MB;
/** Size of a filler that leaves room for the engine and one container of a small image. */
const FILLER_BYTES = 60 * MB;
/** Size of the image, which is downloaded and then unpacked beside the download. */
const BALLAST_BYTES = 30 * MB;

describe.skipIf((dockerIsMissing ?? tmpfsIsMissing) !== undefined)(
  "on an engine with a full disk",
  () => {
    test("the log says what to do, and jobs wait until a try finds room", async () => {
      using disk = mountTmpfs(DISK_BYTES);
      await using docker = await startOwnDocker({ dataRoot: disk.path });
      await using registry = await pullRegistry({
        command: "echo pulled and run",
        ballastBytes: BALLAST_BYTES,
      });
      await using stage = await ContainerStage.set(docker);
      const filler = path.join(disk.path, "filler");
      fs.writeFileSync(filler, Buffer.alloc(FILLER_BYTES));
      const id = await stage.serve({ imageName: registry.image });
      const endpoint = stage.endpoint(id);
      const { id: jobId } = await endpoint.run({});
      const [line] = await stage.emulator.stderrMatch(/"endpointId":"[^"]+".*cannot be pulled.*/u);
      expect(line).toContain(`"endpointId":"${id}"`);
      expect(line).toContain("no space left on device");
      expect(line).toContain("the disk of the Docker engine is full: make room, for example with");
      expect((await endpoint.status(jobId)).status).toBe("IN_QUEUE");
      expect((await endpoint.health()).workers).toMatchObject({ unhealthy: 1 });
      expect(await stage.containers(id)).toEqual([]);
      fs.rmSync(filler);
      await eventually("the image is pulled and its program runs", () =>
        stage.emulator.stderrLines.some((each) => each.includes("pulled and run"))
          ? true
          : undefined,
      );
      expect((await endpoint.status(jobId)).status).toBe("IN_QUEUE");
      await stage.call("DELETE", `/endpoints/${id}`);
      await stage.containersAre(0, id);
    });
  },
);
