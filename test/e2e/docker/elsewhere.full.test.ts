/** Workers in containers of an engine that does not share this machine, like one in a virtual machine. */
import fs from "node:fs";
import path from "node:path";
import { request } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DockerElsewhere, startDockerElsewhere } from "../../setup/docker-elsewhere.ts";
import { elsewhereIsMissing } from "../../setup/docker.ts";
import { eventually } from "../jobs/observe.ts";
import { buildWorkerImages, ContainerStage, type WorkerImages } from "./container-stage.ts";
import { listenersOf } from "./listeners.ts";

const VOLUME = { name: "v", size: 1, dataCenterId: "EU-RO-1" };

describe.skipIf(elsewhereIsMissing() !== undefined)("on an engine elsewhere", () => {
  let docker: DockerElsewhere;
  let images: WorkerImages;
  let stage: ContainerStage;

  beforeAll(async () => {
    docker = await startDockerElsewhere();
    images = await buildWorkerImages(docker);
    stage = await ContainerStage.set(docker);
  });
  afterAll(async () => {
    await stage?.[Symbol.asyncDispose]();
    await docker?.[Symbol.asyncDispose]();
  });

  test("a container calls this machine by its name over TLS, runs a job, and the log gives the reason for the name", async () => {
    const id = await stage.serve({ imageName: images.worker });
    expect((await stage.endpoint(id).runSync({ a: 1 })).output).toMatchObject({ a: 1 });
    const [container = ""] = await stage.containers(id);
    const env = await docker.ask("inspect", "--format", "{{json .Config.Env}}", container);
    const [, port] = /"SV_SERVICE_ADDRESS=tls:\/\/host\.docker\.internal:(\d+)"/u.exec(env) ?? [];
    expect(listenersOf(Number(port))).toEqual(["127.0.0.1"]);
    expect(env).toMatch(/"SV_WORKER_TOKEN=[^"]+\.[\w-]{43}"/u);
    const [line] = await stage.emulator.stderrMatch(/the Docker engine runs in .* machine[^"]*/u);
    expect(line).toMatch(/is not an address of this machine|it does not see /u);
  });

  test("a worker uploads a file to the object store, which listens on loopback alone", async () => {
    const id = await stage.serve({ imageName: images.worker });
    const upload = { do: "upload", file: "hello.txt", text: "from a container" };
    const { output } = await stage.endpoint<{ readonly url: string }>(id).runSync(upload);
    const url = new URL(output.url);
    expect(url.hostname).toBe("host.docker.internal");
    expect(listenersOf(Number(url.port))).toEqual(["127.0.0.1"]);
    const here = `http://127.0.0.1:${url.port}${url.pathname}${url.search}`;
    const answer = await request(here, { headers: { host: url.host } });
    expect(await answer.body.text()).toBe("from a container");
  });

  test("the servers of a load balancing endpoint run in that engine", async () => {
    const server = `require("node:http").createServer((request, response) =>
      response.end(request.url === "/ping" ? "" : "served " + request.url)).listen(process.env.PORT);`;
    const template = { imageName: images.plain, dockerStartCmd: ["node", "-e", server] };
    const id = await stage.serve(template, { type: "LOAD_BALANCING", workersMin: 1 });
    const { url, apiKey } = stage.emulator;
    const text = await eventually("the server answers", async () => {
      const headers = { authorization: `Bearer ${apiKey}` };
      const answer = await fetch(`${url}/lb/${id}/a?b=1`, { headers });
      return answer.ok ? answer.text() : undefined;
    });
    expect(text).toBe("served /a?b=1");
  });

  test("an unshared volume keeps its workers from starting, and the job waits until it is shared", async () => {
    const volume = String((await stage.call("POST", "/networkvolumes", VOLUME))["id"]);
    const directory = stage.data("volumes", volume);
    const template = { imageName: images.worker, volumeMountPath: "/models/mine" };
    const id = await stage.serve(template, { networkVolumeId: volume });
    const { id: job } = await stage.endpoint(id).run({ do: "write", file: "a", text: "inside" });
    const sentence = `does not see ${directory} of this machine`;
    await stage.emulator.stderrMatch(new RegExp(sentence, "u"));
    // `docker run -v` creates an empty directory on the engine's machine.
    await docker.ask("run", "--rm", "-v", `${directory}:/x`, images.plain, "true");
    const told = () => stage.emulator.stderrLines.filter((line) => line.includes(sentence)).length;
    const before = told();
    await eventually("it is tried again", () => (told() > before ? true : undefined));
    expect((await stage.endpoint(id).status(job)).status).toBe("IN_QUEUE");
    await docker.share(directory);
    expect(await stage.ended(id, job)).toMatchObject({ status: "COMPLETED" });
    expect(fs.readdirSync(directory)).toEqual(["a"]);
    expect(fs.readFileSync(path.join(directory, "a"), "utf8")).toBe("inside");
  });

  test("a worker finishes its job before it makes room for a new version", async () => {
    const template = await stage.template({ imageName: images.worker });
    const id = await stage.serveWith(String(template["id"]), {});
    const { id: job } = await stage.endpoint(id).run({ do: "pause", ms: 2_000 });
    await eventually("it runs", async () =>
      (await stage.endpoint(id).status(job)).status === "IN_PROGRESS" ? true : undefined,
    );
    await stage.call("PATCH", `/templates/${String(template["id"])}`, { imageName: images.second });
    expect((await stage.endpoint(id).runSync({})).output).toMatchObject({ image: "second" });
    expect((await stage.ended(id, job)).status).toBe("COMPLETED");
    expect((await stage.endpoint(id).status(job)).retries ?? 0).toBe(0);
  });

  test("the containers of a killed emulator end, the next start runs their jobs, and none is left", async () => {
    const id = await stage.serve({ imageName: images.worker });
    const { id: job } = await stage.endpoint(id).run({ do: "pause", ms: 3_000 });
    const [before] = await stage.containersAre(1, id);
    await eventually("it runs", async () =>
      (await stage.endpoint(id).status(job)).status === "IN_PROGRESS" ? true : undefined,
    );
    await stage.kill();
    await stage.start();
    expect(await stage.ended(id, job)).toMatchObject({ status: "COMPLETED" });
    await eventually("the first container is gone", async () =>
      (await stage.containers(id)).every((each) => each !== before) ? true : undefined,
    );
  });
});
