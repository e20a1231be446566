/** Pods as containers: ports, disks, variables, ends, and pods after an emulator was killed. */
import fs from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodeImage } from "../../setup/docker-node-image.ts";
import { dockerIsMissing, startDocker, type TestDocker } from "../../setup/docker.ts";
import { testInFull } from "../../setup/size.ts";
import { eventually } from "../jobs/observe.ts";
import { ContainerStage } from "./container-stage.ts";

/** A program that returns its settings, counts its starts on its volume, and exits on request. */
const BOX = `const fs = require("node:fs");
fs.appendFileSync("/workspace/starts", "x");
const starts = () => fs.readFileSync("/workspace/starts", "utf8").length;
const fresh = !fs.existsSync("/here"); fs.writeFileSync("/here", "");
process.on("SIGTERM", () => process.exit(0));
require("node:http").createServer((request, response) => {
  if (request.url === "/die") process.exit(3);
  response.end(JSON.stringify({ starts: starts(), fresh, own: process.env.OWN, gpus: process.env.NVIDIA_VISIBLE_DEVICES }));
}).listen(8000, () => console.log("the box is open"));`;

interface PodBody {
  readonly id: string;
  readonly desiredStatus: string;
  readonly lastStatusChange: string;
  readonly memoryInGb: number;
  readonly publicIp: string | null;
  readonly portMappings: Readonly<Record<string, number>> | null;
}

describe.skipIf(dockerIsMissing !== undefined)("pods in containers", () => {
  let docker: TestDocker;
  let stage: ContainerStage;
  let box: Readonly<Record<string, unknown>>;

  beforeAll(async () => {
    docker = await startDocker();
    const dockerStartCmd = ["node", "-e", BOX];
    box = {
      imageName: await nodeImage(docker),
      computeType: "CPU",
      dockerStartCmd,
      ports: ["8000/http", "22/tcp"],
    };
    stage = await ContainerStage.set(docker);
  });
  afterAll(async () => {
    await stage[Symbol.asyncDispose]();
    await docker[Symbol.asyncDispose]();
  });

  const pod = async (method: string, place: string, body?: object) =>
    (await stage.call(method, `/pods${place}`, body && { ...body })) as unknown as PodBody;

  /** The first answer of the pod's program. */
  const asked = (id: string) =>
    eventually("the box answers", async () => {
      const { portMappings } = await pod("GET", `/${id}`);
      const port = portMappings?.["8000"];
      if (port === undefined) return undefined;
      const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
      return answer?.json();
    });

  const list = async (what: readonly string[], label: string) => {
    const found = await docker.ask(...what, "-q", "--filter", `label=${label}`);
    return found.split("\n").filter((line) => line !== "");
  };
  const containersOf = (id: string) => list(["ps", "-a"], `sv.pod=${id}`);
  const volumesOf = (id: string) => list(["volume", "ls"], `sv.volume-of=${id}`);
  const gone = (id: string) =>
    eventually("its container is gone", async () =>
      (await containersOf(id)).length === 0 ? true : undefined,
    );

  test.each([
    ["a part of the machine's memory", {}],
    ["the size that their env sets", { SV_CONTAINER_MEMORY: "1536m" }],
  ])("get the memory that the interface and their variables show: %s", async (_, env) => {
    const { id } = await pod("POST", "", { ...box, name: "sized", env });
    await asked(id);
    const { memoryInGb } = await pod("GET", `/${id}`);
    const [container = ""] = await containersOf(id);
    const format = "{{.HostConfig.Memory}} {{json .Config.Env}}";
    const [bytes, told = ""] = (await docker.ask("inspect", "-f", format, container)).split(" ", 2);
    expect(memoryInGb).toBe(Math.floor(Number(bytes) / 1024 ** 3));
    expect(told).toContain(`"RUNPOD_MEM_GB=${memoryInGb}"`);
    await pod("DELETE", `/${id}`);
    await gone(id);
  });

  test("answer at their ports; their volume outlives them until they are deleted", async () => {
    const { id } = await pod("POST", "", { ...box, name: "box", env: { OWN: "yes" } });
    expect(await asked(id)).toEqual({ starts: 1, fresh: true, own: "yes", gpus: "void" });
    const { publicIp, portMappings } = await pod("GET", `/${id}`);
    expect(publicIp).toBe("127.0.0.1");
    expect(Object.keys(portMappings ?? {})).toEqual(["22", "8000"]);
    await stage.emulator.stderrMatch(new RegExp(`the box is open.*"podId":"${id}"`, "u"));
    await pod("POST", `/${id}/stop`);
    await gone(id);
    expect(await pod("GET", `/${id}`)).toMatchObject({ publicIp: null, portMappings: null });
    await pod("POST", `/${id}/start`);
    expect(await asked(id)).toMatchObject({ starts: 2, fresh: true });
    const before = await containersOf(id);
    await pod("POST", `/${id}/restart`);
    await eventually("the old container is gone", async () =>
      (await containersOf(id)).includes(before[0] ?? "") ? undefined : true,
    );
    expect(await asked(id)).toMatchObject({ starts: 3, fresh: true });
    const [bill] = (await stage.call("GET", "/billing/pods")) as unknown as { amount: number }[];
    expect(bill?.amount).toBeGreaterThan(0);
    expect(await volumesOf(id)).toHaveLength(1);
    await pod("DELETE", `/${id}`);
    await gone(id);
    await eventually("its volume is gone", async () =>
      (await volumesOf(id)).length === 0 ? true : undefined,
    );
  });

  test("have their network volume at the template's path, and no other", async ({ skip }) => {
    skip(
      await docker.isElsewhere(),
      "an engine elsewhere does not see the volumes of this machine",
    );
    const volume = await stage.call("POST", "/networkvolumes", {
      name: "v",
      size: 1,
      dataCenterId: "EU-RO-1",
    });
    const { id } = await pod("POST", "", { ...box, networkVolumeId: volume["id"] });
    await asked(id);
    expect(fs.readFileSync(stage.data("volumes", String(volume["id"]), "starts"), "utf8")).toBe(
      "x",
    );
    expect(await volumesOf(id)).toEqual([]);
    await pod("DELETE", `/${id}`);
    await gone(id);
  });

  test("show how their program ended", async () => {
    const ended = { ...box, dockerStartCmd: ["sh", "-c", "exit 3"] };
    const { id } = await pod("POST", "", ended);
    const ending = () =>
      eventually("it has ended", async () => {
        const { desiredStatus, lastStatusChange } = await pod("GET", `/${id}`);
        return desiredStatus === "EXITED" ? lastStatusChange : undefined;
      });
    expect(await ending()).toMatch(/^ended with code 3 at /u);
    await gone(id);
    await pod("PATCH", `/${id}`, { imageName: "127.0.0.1:1/no/such:1" });
    await pod("POST", `/${id}/start`);
    expect(await ending()).toMatch(
      /^could not be started: the image 127.0.0.1:1\/no\/such:1 is not on this machine/u,
    );
    await pod("DELETE", `/${id}`);
  });

  testInFull(
    "of a killed emulator are removed by the next one, which runs them on the same volume",
    async () => {
      const { id } = await pod("POST", "", box);
      await asked(id);
      const old = await containersOf(id);
      await stage.kill();
      await stage.start();
      await eventually("the old container is gone", async () =>
        (await containersOf(id)).includes(old[0] ?? "") ? undefined : true,
      );
      expect(await asked(id)).toMatchObject({ starts: 2 });
      await stage.stop();
      expect(await containersOf(id)).toEqual([]);
      expect(await volumesOf(id)).toHaveLength(1);
      await stage.start();
      expect(await asked(id)).toMatchObject({ starts: 3 });
      await pod("DELETE", `/${id}`);
      await gone(id);
    },
  );
});
