/**
 * Endpoints in REST v2 are changed in place or by replacing their workers, and deleted with their jobs and
 * template.
 */
import { expect, test } from "vitest";
import { startTestHttp } from "../../http-harness.ts";
import { CPU, create, GPU, plain, read, type Shown, V2 } from "./rest-v2-endpoint-harness.ts";

test("workers, scaling and times are changed in place, the container by a new version", async () => {
  await using service = await startTestHttp();
  const { id } = await create(service);
  const change = async (body: object) => {
    const { status, json } = await service.call("PATCH", `${V2}/${id}`, { body });
    expect(status, JSON.stringify(json)).toBe(200);
    return { shown: json as Shown, version: (await plain(service, id))["version"] };
  };
  const inPlace = {
    name: "renamed",
    workers: { min: 1, max: 5 },
    scaling: { type: "QUEUE_DELAY", queueDelay: 7 },
    timeout: 60_000,
    flashboot: "FLASHBOOT",
  };
  const first = await change(inPlace);
  expect(first).toMatchObject({
    shown: { ...inPlace, workers: { min: 1, max: 5, idleTimeout: 10 } },
    version: 1,
  });
  expect(await plain(service, id)).toMatchObject({ template: { name: "renamed-template" } });
  const second = await change({ image: "team/worker:2", env: { A: "1" }, args: "run me", disk: 9 });
  expect(second).toMatchObject({
    shown: { image: "team/worker:2", env: { A: "1" }, args: "run me", cmd: ["run", "me"], disk: 9 },
    version: 2,
  });
  expect((await change({ image: "team/worker:2" })).version).toBe(2);
  const both = await change({ gpu: { count: 2 }, ports: ["80/http"] });
  expect(both).toMatchObject({
    shown: { gpu: { pools: ["ADA_24", "AMPERE_48"], count: 2 }, ports: ["80/http"] },
    version: 3,
  });
});

test("an answer can be sent back as a change, and changes nothing", async () => {
  await using service = await startTestHttp();
  for (const body of [GPU, CPU]) {
    const made = await create(service, body);
    const { id, type: _, createdAt: __, requestUrls: ___, ...rest } = made;
    const { gpu, cpu, ...settings } = rest as Readonly<Record<string, unknown>>;
    const sent = {
      ...settings,
      ...(gpu !== undefined && { gpu: { ...(gpu as object), minCudaVersion: "" } }),
      ...(cpu !== undefined && {
        cpu: (cpu as { id: string; vcpuCount: number }[]).map((one) => ({
          id: one.id,
          vcpuCount: one.vcpuCount,
        })),
      }),
    };
    const again = await service.call("PATCH", `${V2}/${id}`, { body: sent });
    expect(again).toMatchObject({ status: 200, json: made });
    expect(await plain(service, id)).toMatchObject({ version: 1 });
  }
});

test.each([
  [{ cpu: CPU.cpu }, 400, "cpu is not possible"],
  [{ gpu: { excludedTypes: ["NVIDIA A40"] } }, 400, "needs gpu.pools"],
  [
    { scaling: { type: "REQUEST_COUNT", requestCount: 1 }, workers: { idleTimeout: 5 } },
    422,
    "idleTimeout does not apply",
  ],
])("the change %j is refused with %i: %s", async (body, status, detail) => {
  await using service = await startTestHttp();
  const { id } = await create(service);
  const answer = await service.call("PATCH", `${V2}/${id}`, { body });
  expect(answer.status).toBe(status);
  expect(answer.json).toMatchObject({ detail: expect.stringContaining(detail) });
});

test("an endpoint with a shared template gets its own template when its container is changed", async () => {
  await using service = await startTestHttp();
  const template = { name: "shared", imageName: "a", isServerless: true };
  const { id: templateId } = (await service.call("POST", "/v1/templates", { body: template }))
    .json as Shown;
  const make = async () =>
    (await service.call("POST", "/v1/endpoints", { body: { name: "e", templateId } }))
      .json as Shown;
  const [one, other] = [await make(), await make()];
  await service.call("PATCH", `${V2}/${one.id}`, { body: { image: "b" } });
  expect(await read(service, `${V2}/${one.id}`)).toMatchObject({ image: "b" });
  expect(await read(service, `${V2}/${other.id}`)).toMatchObject({ image: "a" });
  expect(await plain(service, one.id)).toMatchObject({ version: 2, name: "e" });
  expect(await read(service, `/v1/templates/${templateId}`)).toMatchObject({ imageName: "a" });
});

test("an endpoint of a handler file can be read and changed like others", async () => {
  await using service = await startTestHttp();
  expect(await read(service, `${V2}/echo`)).toMatchObject({
    image: "sv.local/echo",
    cpu: expect.any(Array),
  });
  const { status, json } = await service.call("PATCH", `${V2}/echo`, { body: { env: { A: "1" } } });
  expect(status).toBe(200);
  expect(json).toMatchObject({ image: "sv.local/echo", env: { A: "1" } });
  expect(await plain(service, "echo")).toMatchObject({ templateId: "echo", version: 2 });
});

test("a deleted endpoint takes along its jobs and the template created with it", async () => {
  await using service = await startTestHttp();
  const { id } = await create(service);
  const { templateId } = (await plain(service, id)) as { readonly templateId: string };
  const run = await service.call("POST", `/live/v2/${id}/run`, { body: { input: {} } });
  const { id: jobId } = run.json as Shown;
  expect((await service.call("DELETE", `${V2}/${id}`)).status).toBe(204);
  expect((await service.call("GET", `/live/v2/${id}/status/${jobId}`)).status).toBe(404);
  expect((await service.call("GET", `/v1/templates/${templateId}`)).status).toBe(404);
  expect((await service.call("GET", `${V2}/${id}`)).json).toEqual({
    title: "Not Found",
    status: 404,
    detail: "endpoint not found",
  });
});

test("a template that was created with an endpoint stays if another endpoint uses it", async () => {
  await using service = await startTestHttp();
  const { id } = await create(service);
  const { templateId } = (await plain(service, id)) as { readonly templateId: string };
  const body = { name: "other", templateId };
  expect((await service.call("POST", "/v1/endpoints", { body })).status).toBe(200);
  expect((await service.call("DELETE", `${V2}/${id}`)).status).toBe(204);
  expect((await service.call("GET", `/v1/templates/${templateId}`)).status).toBe(200);
  expect(await read(service, "/v1/templates")).toMatchObject([{ id: templateId }]);
});

test("a job without a time limit gets the maximum if its endpoint has no limit either", async () => {
  await using service = await startTestHttp();
  const { id } = await create(service);
  await service.call("POST", `/live/v2/${id}/run`, { body: { input: {} } });
  const worker = await service.test.connectWorker(id);
  expect(await worker.nextJob()).toMatchObject({ executionTimeoutMs: 604_800_000 });
});
