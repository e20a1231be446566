/** Templates in REST v2: requests, answers, changes and refusals. */
import { expect, test } from "vitest";
import { startTestHttp, type TestHttp } from "../../http-harness.ts";

const V2 = "/live/v2/templates";

type Template = { readonly id: string } & Readonly<Record<string, unknown>>;

async function create(service: TestHttp, body: object): Promise<Template> {
  const { status, json } = await service.call("POST", V2, { body });
  expect(status).toBe(201);
  return json as Template;
}

const FULL = {
  name: "full",
  image: "team/image:1",
  args: "python3 -u 'my handler.py'",
  disk: 30,
  env: { A: "1" },
  ports: ["8000/http"],
  registry: null,
  serverless: false,
  public: true,
  category: "AMD",
  mounts: { persistent: { size: 40, path: "/data" } },
  startSsh: false,
  startJupyter: false,
  allowedCudaVersions: ["12.8"],
};

test("missing fields get the live service's defaults: no ports, no volume", async () => {
  await using service = await startTestHttp();
  expect(await create(service, { name: "plain", image: "team/image" })).toEqual({
    id: expect.any(String),
    name: "plain",
    image: "team/image",
    args: "",
    cmd: [],
    entrypoint: [],
    disk: 50,
    env: {},
    ports: [],
    registry: null,
    serverless: false,
    public: false,
    category: "NVIDIA",
    mounts: {},
    startSsh: true,
    startJupyter: true,
    allowedCudaVersions: [],
  });
});

test("a template is answered as sent, and a change removes emptied fields, except a volume", async () => {
  await using service = await startTestHttp();
  const made = await create(service, FULL);
  expect(made).toMatchObject({ ...FULL, cmd: ["python3", "-u", "my handler.py"] });
  const path = `${V2}/${made.id}`;
  const emptied = await service.call("PATCH", path, {
    body: { args: "", env: {}, mounts: {}, allowedCudaVersions: [], startSsh: true },
  });
  expect(emptied.json).toEqual({
    ...made,
    args: "",
    cmd: [],
    env: {},
    allowedCudaVersions: [],
    startSsh: true,
  });
});

test("a command text equal to the lists stays as written until the lists change", async () => {
  await using service = await startTestHttp();
  const args = `{"cmd": ["a b"],  "entrypoint": ["/bin/sh", "-c"]}`;
  const { id } = await create(service, { name: "a", image: "x", args });
  const read = async () => (await service.call("GET", `${V2}/${id}`)).json;
  expect(await read()).toMatchObject({ args, cmd: ["a b"], entrypoint: ["/bin/sh", "-c"] });
  await service.call("PATCH", `/v1/templates/${id}`, { body: { dockerEntrypoint: [] } });
  expect(await read()).toMatchObject({ args: "'a b'", cmd: ["a b"], entrypoint: [] });
});

test.each([
  [
    { name: "a", image: "x", mounts: { network: [] } },
    422,
    ["$.mounts: additional properties 'network' not allowed"],
  ],
  [{ name: "a", image: "x", args: "b", cmd: ["c"] }, 400, undefined],
])("a template of %j is refused with %i", async (body, status, errors) => {
  await using service = await startTestHttp();
  const answer = await service.call("POST", V2, { body });
  expect(answer.status).toBe(status);
  expect(answer.json).toMatchObject({ status, ...(errors && { errors }) });
  if (errors === undefined) expect(answer.json).not.toHaveProperty("errors");
});

test("a template in use stays serverless, and a deleted one gets the live service's 404", async () => {
  await using service = await startTestHttp();
  const { id } = await create(service, { name: "a", image: "x", serverless: true });
  await service.call("POST", "/v1/endpoints", { body: { templateId: id } });
  const { status, json } = await service.call("PATCH", `${V2}/${id}`, {
    body: { serverless: false },
  });
  expect(status).toBe(400);
  expect(json).toMatchObject({ detail: expect.stringContaining("is used by the endpoint") });
  const unused = await create(service, { name: "b", image: "x" });
  const deleted = await service.call("DELETE", `${V2}/${unused.id}`);
  expect(deleted).toMatchObject({ status: 204, text: "" });
  expect((await service.call("GET", `${V2}/${unused.id}`)).json).toEqual({
    title: "Not Found",
    status: 404,
    detail: "template not found",
  });
});

test("the catalog has only public templates, as those of the community", async () => {
  await using service = await startTestHttp();
  await create(service, { name: "a", image: "x", public: true });
  await create(service, { name: "b", image: "x" });
  const listed = async (query: string) =>
    (await service.call("GET", `/live/v2/catalog/templates${query}`)).json;
  expect(await listed("?source=community")).toMatchObject({ templates: [{ name: "a" }] });
  expect(await listed("")).toEqual({ templates: [] });
  expect(await listed("?source=none")).toMatchObject({ status: 422 });
});
