/** Workers in containers, from the submission of a job to the end of the container. */
import fs from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dockerIsMissing, startDocker, type TestDocker } from "../../setup/docker.ts";
import { eventually } from "../jobs/observe.ts";
import { buildWorkerImages, ContainerStage, type WorkerImages } from "./container-stage.ts";
import { listenersOf } from "./listeners.ts";
import { testInFull } from "../../setup/size.ts";

interface Look {
  readonly env: Readonly<Record<string, string>>;
  readonly uid: number;
  readonly status: string;
  readonly root: boolean | string;
  readonly tmp: boolean | string;
  readonly home: boolean | string;
}

describe.skipIf(dockerIsMissing !== undefined)("workers in containers", () => {
  let docker: TestDocker;
  let images: WorkerImages;
  let stage: ContainerStage;

  beforeAll(async () => {
    docker = await startDocker();
    images = await buildWorkerImages(docker);
    stage = await ContainerStage.set(docker);
  });
  afterAll(async () => {
    await stage[Symbol.asyncDispose]();
    await docker[Symbol.asyncDispose]();
  });

  test("run handlers of all three forms", async () => {
    const imageName = images.worker;
    const returns = await stage.serve({ imageName });
    const streams = await stage.serve({ imageName, env: { SV_HANDLER: "/app/streams.js" } });
    const defined = await stage.serve({ imageName, dockerStartCmd: ["/app/defined.js"] });
    const first = await stage.endpoint(returns).runSync({ a: 1 });
    expect(first.output).toEqual({ image: "first", a: 1 });
    const { id } = await stage.endpoint(streams).run({ count: 3 });
    const chunks = [];
    for await (const chunk of stage.endpoint(streams).stream(id)) chunks.push(chunk.output);
    expect(chunks).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
    expect((await stage.endpoint(defined).runSync({ more: 2 })).output).toBe(42);
  });

  test("have the least privileges and nothing of the emulator's environment", async () => {
    const id = await stage.serve({ imageName: images.worker, env: { OWN: "yes" } });
    const { output } = await stage.endpoint<Look>(id).runSync({ do: "look" });
    expect(output).toMatchObject({ uid: 1000, root: "EROFS", tmp: true, home: true });
    expect(output?.status).toMatch(/^CapEff:\s+0+$/mu);
    expect(output?.status).toMatch(/^NoNewPrivs:\s+1$/mu);
    expect(output?.env).toMatchObject({
      OWN: "yes",
      NVIDIA_VISIBLE_DEVICES: "void",
      SV_ENDPOINT_ID: id,
    });
    expect(output?.env).not.toHaveProperty("MINE_ALONE");
    expect(output?.env).not.toHaveProperty("DOCKER_HOST");
  });

  testInFull("have the rights that their image needs if the template grants them", async () => {
    const env = { SV_CONTAINER_PRIVILEGES: "image" };
    const id = await stage.serve({ imageName: images.worker, env, containerDiskInGb: 1 });
    const { output } = await stage.endpoint<Look>(id).runSync({ do: "look" });
    // The image's user is 1000 too: only the user's rights differ.
    expect(output).toMatchObject({ uid: 1000, root: "EACCES", tmp: true });
    expect(output?.status).toMatch(/^NoNewPrivs:\s+0$/mu);
    await stage.emulator.stderrMatch(/cannot limit the size of container disks/u);
  });

  testInFull("report that memory ran out", async () => {
    const env = { SV_CONTAINER_MEMORY: "200m" };
    const id = await stage.serve({ imageName: images.worker, env });
    const { id: jobId } = await stage.endpoint(id).run({ do: "eat" });
    const job = await stage.ended(id, jobId);
    expect(job).toMatchObject({ status: "FAILED", failure: { outOfMemory: true } });
  });

  // elsewhere.full.test.ts tests this on an engine elsewhere.
  testInFull(
    "write to the endpoint's volume, which is mounted at three paths",
    async ({ skip }) => {
      skip(await docker.isElsewhere(), SEES_NO_VOLUME);
      const volume = await stage.call("POST", "/networkvolumes", VOLUME);
      const fields = { networkVolumeId: volume["id"] };
      const template = { imageName: images.worker, volumeMountPath: "/models/mine/" };
      const endpoint = stage.endpoint(await stage.serve(template, fields));
      const { output } = await endpoint.runSync({ do: "write", file: "a", text: "from inside" });
      expect(output).toBe("/runpod-volume");
      expect(fs.readFileSync(stage.data("volumes", String(volume["id"]), "a"), "utf8")).toBe(
        "from inside",
      );
      expect((await endpoint.runSync({ do: "look" })).output).toMatchObject({
        ...{ home: true, env: { HOME: "/runpod-volume" } },
      });
      const { output: read } = await endpoint.runSync({ do: "read", file: "a" });
      expect(read).toEqual(["from inside", "from inside", "from inside"]);
    },
  );

  testInFull(
    "upload to the embedded object store, which other networks cannot reach",
    async ({ skip }) => {
      skip(await docker.isElsewhere(), "an engine elsewhere reaches it by a name");
      const id = await stage.serve({ imageName: images.worker });
      const upload = { do: "upload", file: "hello.txt", text: "from a container" };
      const { output } = await stage.endpoint<{ readonly url: string }>(id).runSync(upload);
      const answer = await fetch(output?.url ?? "");
      expect(await answer.text()).toBe("from a container");
      const { hostname, port } = new URL(output?.url ?? "");
      expect(listenersOf(Number(port))).not.toContain("0.0.0.0");
      expect(listenersOf(Number(port))).toContain(hostname);
    },
  );

  testInFull("scale with the jobs: from 0 to 3 to 0", async ({ skip }) => {
    skip(await docker.isElsewhere(), SEES_NO_VOLUME);
    const volume = await stage.call("POST", "/networkvolumes", VOLUME);
    const id = await stage.serve(
      { imageName: images.worker },
      {
        networkVolumeId: volume["id"],
        workersMin: 0,
        workersMax: 3,
        idleTimeout: 1,
        scalerType: "REQUEST_COUNT",
        scalerValue: 1,
      },
    );
    const jobs = [1, 2, 3].map(async (n) => stage.endpoint(id).run({ n, until: "go" }));
    const submitted = await Promise.all(jobs);
    await stage.containersAre(3, id);
    await eventually("three jobs run", async () => {
      const { jobs: counts } = await stage.endpoint(id).health();
      return counts.inProgress === 3 ? true : undefined;
    });
    fs.writeFileSync(stage.data("volumes", String(volume["id"]), "go"), "");
    const ended = await Promise.all(submitted.map(({ id: job }) => stage.endpoint(id).wait(job)));
    expect(ended.map(({ status }) => status)).toEqual(["COMPLETED", "COMPLETED", "COMPLETED"]);
    await stage.containersAre(0, id);
  });

  testInFull("answer requests as the servers of a load balancing endpoint", async () => {
    const server = `require("node:http").createServer((request, response) =>
      response.end(request.url === "/ping" ? "" : "served " + request.url)).listen(process.env.PORT);`;
    const template = { imageName: images.plain, dockerStartCmd: ["node", "-e", server] };
    const fields = { type: "LOAD_BALANCING", workersMin: 1 };
    const id = await stage.serve(template, fields);
    const { url, apiKey } = stage.emulator;
    const text = await eventually("the server answers", async () => {
      const headers = { authorization: `Bearer ${apiKey}` };
      const answer = await fetch(`${url}/lb/${id}/a?b=1`, { headers });
      return answer.ok ? answer.text() : undefined;
    });
    expect(text).toBe("served /a?b=1");
  });

  testInFull("are replaced when the template gets another image", async () => {
    const template = await stage.template({ imageName: images.worker });
    const id = await stage.serveWith(String(template["id"]), { workersMin: 1 });
    expect((await stage.endpoint(id).runSync({})).output).toMatchObject({ image: "first" });
    const [before] = await stage.containersAre(1, id);
    await stage.call("PATCH", `/templates/${String(template["id"])}`, { imageName: images.second });
    await eventually("a worker of the second image answers", async () => {
      const { output } = await stage.endpoint<{ readonly image: string }>(id).runSync({});
      return output?.image === "second" ? true : undefined;
    });
    await eventually("the old container is gone", async () => {
      const now = await stage.containers(id);
      return now.length === 1 && now[0] !== before ? true : undefined;
    });
  });
});

const SEES_NO_VOLUME = "an engine elsewhere does not see the volumes of this machine";

const VOLUME = { name: "v", size: 1, dataCenterId: "EU-RO-1" };
