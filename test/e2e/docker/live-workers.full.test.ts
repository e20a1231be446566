/** Containers from images that speak only the live protocol, like images of the live service. */
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pythonImage } from "../../setup/docker-python-image.ts";
import { dockerIsMissing, startDocker, type TestDocker } from "../../setup/docker.ts";
import { pythonIsMissing } from "../../setup/python.ts";
import { ContainerStage } from "./container-stage.ts";

const program = path.resolve(import.meta.dirname, "../../fixtures/live-worker/handler.py");

interface Look {
  readonly env: Readonly<Record<string, string>>;
}

describe.skipIf((dockerIsMissing ?? pythonIsMissing) !== undefined)("live workers", () => {
  let docker: TestDocker;
  let stage: ContainerStage;
  let templateId: string;
  let id: string;

  beforeAll(async () => {
    docker = await startDocker();
    const imageName = await pythonImage(docker, `sv-test/live:${process.pid}`, program);
    stage = await ContainerStage.set(docker);
    templateId = String((await stage.template({ imageName, env: { OWN: "yes" } }))["id"]);
    id = await stage.serveWith(templateId, {});
  });
  afterAll(async () => {
    await stage[Symbol.asyncDispose]();
    await docker[Symbol.asyncDispose]();
  });

  test("run unchanged in containers: values, errors, streams", async () => {
    const endpoint = stage.endpoint(id);
    expect((await endpoint.runSync({ do: "echo", a: 1 })).output).toEqual({ do: "echo", a: 1 });
    const failed = await endpoint.run({ do: "fail", message: "no such model" });
    expect(await stage.ended(id, failed.id)).toMatchObject({ status: "FAILED" });
    const streamed = await endpoint.run({ do: "stream", count: 2 });
    const chunks = [];
    for await (const { output } of endpoint.stream(streamed.id)) chunks.push(output);
    expect(chunks).toEqual([{ n: 0 }, { n: 1 }]);
  });

  test("reach only the operations of workers over the network of containers", async () => {
    const { output } = await stage.endpoint<Look>(id).runSync({ do: "look" });
    const url = new URL(output.env["RUNPOD_WEBHOOK_GET_JOB"] ?? "");
    expect(url.hostname).not.toBe("127.0.0.1");
    expect(output.env).toMatchObject({ OWN: "yes", RUNPOD_ENDPOINT_ID: id });
    expect(output.env["BUCKET_ENDPOINT_URL"]).toContain(`//${url.hostname}:`);
    const call = async (place: string) =>
      (await stage.endpoint(id).runSync({ do: "call", path: place })).output;
    expect(await call(`/live/v2/${id}/ping/${output.env["RUNPOD_POD_ID"]}`)).toBe(200);
    expect(await call("/v1/endpoints")).toBe(404);
    expect(await call(`/live/v2/${id}/health`)).toBe(404);
    expect(await call("/emulator/clock")).toBe(404);
  });

  test("are replaced when their container is killed, and their job is tried again", async () => {
    const endpoint = stage.endpoint(id);
    const job = await endpoint.run({ do: "wait", seconds: 1 });
    await stage.emulator.stderrMatch(new RegExp(`started ${job.id}`, "u"));
    const [container = ""] = await stage.containers(id);
    await docker.ask("kill", "--signal", "KILL", container);
    expect(await stage.ended(id, job.id)).toMatchObject({ status: "COMPLETED", retries: 1 });
  });
});
