/**
 * Templates in `/v1`: refused with all problems, changed with their endpoints' workers replaced, and listed on
 * request.
 */
import { expect, it } from "vitest";
import { ScriptedLauncher } from "../../../engine/scripted-launcher.ts";
import { startTestHttp, type TestHttp } from "../../http-harness.ts";

const create = (service: TestHttp, body: unknown) =>
  service.call("POST", "/v1/templates", { body });
const patch = (service: TestHttp, id: string, body: unknown) =>
  service.call("PATCH", `/v1/templates/${id}`, { body });
const read = async (service: TestHttp, path: string) =>
  (await service.call("GET", path)).json as Readonly<Record<string, unknown>>;

it("a serverless template has no volume, and takes ports as the one string of the contract", async () => {
  await using service = await startTestHttp();
  const body = { name: "s", imageName: "i", isServerless: true, ports: "8888/http,22/tcp" };
  expect((await create(service, body)).json).toMatchObject({
    volumeInGb: 0,
    ports: ["8888/http", "22/tcp"],
  });
});

it("a refusal names every problem of a body, and the probably intended key for an unknown one", async () => {
  await using service = await startTestHttp();
  const { status, json } = await create(service, {
    imageName: 5,
    category: "INTEL",
    containerDiskInGb: -1,
    env: { OK: "1", BAD: 2, "A=B": "x" },
    ports: ["80"],
    volumeMountPath: "data",
    image_name: "x",
    startSsh: true,
  });
  expect(status).toBe(400);
  const { problems, code } = json as { problems: string[]; code: string };
  expect(code).toBe("invalid_request");
  expect(problems.toSorted()).toStrictEqual(
    [
      "name is required and must be a string of 1 to 191 characters",
      "imageName must be the name of a container image; got 5",
      'category must be one of NVIDIA, AMD, CPU; got "INTEL"',
      "containerDiskInGb must be an integer of 0 or more; got -1",
      "env.BAD must be a string; got 2",
      'env has the name "A=B", which is not valid for a variable',
      'ports.0 must be a port and its protocol like 8888/http or 22/tcp; got "80"',
      "volumeMountPath must be an absolute path",
      'the key "image_name" is unknown; did you mean imageName?',
      'the key "startSsh" is unknown',
    ].toSorted(),
  );
});

it.each([
  ['{"name":"a","imageName":"b","__proto__":{"isPublic":true}}', 'the key "__proto__" is unknown'],
  [
    '{"name":"a","imageName":"b","env":{"__proto__":"x"}}',
    'env has the name "__proto__", which is not valid for a variable',
  ],
  ["[]", "the body must be an object; got an array"],
])("a template is refused: %s", async (body, problem) => {
  await using service = await startTestHttp();
  expect((await create(service, body)).json).toMatchObject({ status: 400, problems: [problem] });
});

it.each(["", "{", "nonsense", '{"name": "\xff"}'])(
  "a body that is no JSON is refused: %j",
  async (text) => {
    await using service = await startTestHttp();
    const body = Buffer.from(text, "latin1");
    expect((await create(service, body)).json).toMatchObject({ status: 400, code: "invalid_json" });
  },
);

it("a body of more than a megabyte is refused", async () => {
  await using service = await startTestHttp();
  const answer = await create(service, {
    name: "a",
    imageName: "b",
    readme: "x".repeat(1_000_000),
  });
  expect(answer.json).toMatchObject({ status: 413, code: "payload_too_large" });
});

it("a changed template replaces the workers of all its endpoints, and no others", async () => {
  const launcher = new ScriptedLauncher();
  await using service = await startTestHttp({ launcher });
  const { engine, clock } = service.test;
  await service.test.addEndpoint("other");
  await service.call("PATCH", "/v1/endpoints/echo", { body: { workersMin: 1 } });
  await clock.settle();
  await launcher.at(0).connect(engine);
  await service.call("PATCH", "/v1/endpoints/other", { body: { workersMin: 1 } });
  await clock.settle();
  await launcher.at(1).connect(engine);

  await patch(service, "echo", { env: { MODE: "fast" } });
  await clock.settle();
  expect(await read(service, "/v1/endpoints/echo")).toMatchObject({
    version: 2,
    env: { MODE: "fast" },
  });
  expect(await read(service, "/v1/endpoints/other")).toMatchObject({ version: 1 });
  expect(launcher.launched.map(({ wasDrained }) => wasDrained)).toStrictEqual([true, false, false]);
  expect(launcher.at(2).order).toMatchObject({
    endpoint: { id: "echo", version: 2 },
    template: { env: { MODE: "fast" } },
  });
});

it("a change to the same values leaves the workers alone", async () => {
  await using service = await startTestHttp();
  const same = { imageName: "sv.local/echo", env: {}, ports: [], containerRegistryAuthId: "" };
  expect((await patch(service, "echo", same)).status).toBe(200);
  expect(await read(service, "/v1/endpoints/echo")).toMatchObject({ version: 1 });
});

it("a handler file's own template and public ones are listed only on request", async () => {
  await using service = await startTestHttp();
  await create(service, { name: "mine", isServerless: true, imageName: "sv.local/echo" });
  await create(service, { name: "shared", imageName: "me/image:1", isPublic: true });
  const listed = async (query: string) => {
    const templates = await read(service, `/v1/templates${query}`);
    return (templates as unknown as readonly { name: string }[]).map(({ name }) => name);
  };
  expect(await listed("")).toStrictEqual(["mine"]);
  expect(await listed("?includeEndpointBoundTemplates=true")).toStrictEqual(["echo", "mine"]);
  expect(await listed("?includePublicTemplates=true")).toStrictEqual(["mine", "shared"]);
  const official = "?includePlatformTemplates=true&includeRunpodTemplates=false&unknown=1";
  expect(await listed(official)).toStrictEqual(["mine"]);
});
