/** Answers of the management operations that the interface names. */
import { expect } from "vitest";
import { startTestHttp } from "../unit/http/http-harness.ts";
import { rule } from "./rule.ts";

const anId = expect.stringMatching(/^[a-z0-9]{10,}$/) as string;

rule("POST /templates: 200 with the template, 400 for invalid input", async () => {
  await using service = await startTestHttp();
  const body = { name: "mine", imageName: "me/mine:1" };
  const made = await service.call("POST", "/v1/templates", { body });
  expect(made).toMatchObject({
    status: 200,
    json: {
      ...body,
      id: anId,
      category: "NVIDIA",
      containerDiskInGb: 50,
      dockerEntrypoint: [],
      dockerStartCmd: [],
      env: {},
      isPublic: false,
      isPlatform: false,
      isServerless: false,
      ports: ["8888/http", "22/tcp"],
      readme: "",
      volumeInGb: 20,
      volumeMountPath: "/workspace",
      earned: 0,
      runtimeInMin: 0,
    },
  });
  const refused = await service.call("POST", "/v1/templates", { body: { name: 1 } });
  expect(refused).toMatchObject({ status: 400, json: { code: "invalid_request" } });
});

rule("POST /containerregistryauth: an object of id and name", async () => {
  await using service = await startTestHttp();
  const body = { name: "hub", username: "ada", password: "s3cret" };
  const { status, json } = await service.call("POST", "/v1/containerregistryauth", { body });
  expect({ status, json }).toStrictEqual({ status: 200, json: { id: anId, name: "hub" } });
});

rule(
  "DELETE /containerregistryauth/{containerRegistryAuthId}: the credentials are gone",
  async () => {
    await using service = await startTestHttp();
    const body = { name: "hub", username: "ada", password: "s3cret" };
    const { json } = await service.call("POST", "/v1/containerregistryauth", { body });
    const path = `/v1/containerregistryauth/${(json as { id: string }).id}`;
    expect(await service.call("DELETE", path)).toMatchObject({ status: 204, text: "" });
    expect(await service.call("GET", path)).toMatchObject({ status: 404 });
  },
);

rule("DELETE /networkvolumes/{networkVolumeId}: the volume is gone", async () => {
  await using service = await startTestHttp();
  const body = { name: "models", size: 10, dataCenterId: "EU-RO-1" };
  const { json } = await service.call("POST", "/v1/networkvolumes", { body });
  const path = `/v1/networkvolumes/${(json as { id: string }).id}`;
  expect(await service.call("GET", path)).toMatchObject({ status: 200, json: body });
  expect(await service.call("DELETE", path)).toMatchObject({ status: 204, text: "" });
  expect(await service.call("GET", path)).toMatchObject({ status: 404 });
});

rule("POST /endpoints: an endpoint that takes jobs", async () => {
  await using service = await startTestHttp();
  const template = { name: "worker", imageName: "me/worker:1", isServerless: true };
  const made = await service.call("POST", "/v1/templates", { body: template });
  const body = {
    name: "mine",
    templateId: (made.json as { id: string }).id,
    gpuTypeIds: ["NVIDIA L4", "NVIDIA A40"],
    workersMin: 0,
    workersMax: 2,
    idleTimeout: 7,
  };
  const { status, json } = await service.call("POST", "/v1/endpoints", { body });
  expect({ status, json }).toMatchObject({ status: 200, json: { ...body, id: anId } });
  const { id } = json as { id: string };
  const job = await service.call("POST", `/v2/${id}/run`, { body: { input: {} } });
  expect(job).toMatchObject({ status: 200, json: { status: "IN_QUEUE" } });
});
