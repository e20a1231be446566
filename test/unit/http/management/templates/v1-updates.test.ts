/** Templates over HTTP: changed in place or with their endpoints' workers replaced, and left out of the list unless asked for. */
import { expect, it } from "vitest";
import { ScriptedLauncher } from "../../../engine/scripted-launcher.ts";
import { startTestHttp, type TestHttp } from "../../http-harness.ts";

const create = async (service: TestHttp, body: object) => {
  const { json } = await service.call("POST", "/v1/templates", {
    body: { imageName: "me/image:1", ...body },
  });
  return json as { readonly id: string };
};
const patch = (service: TestHttp, id: string, body: unknown) =>
  service.call("PATCH", `/v1/templates/${id}`, { body });
const read = async (service: TestHttp, path: string) =>
  (await service.call("GET", path)).json as Readonly<Record<string, unknown>>;

const CHANGES = {
  name: "renamed",
  imageName: "me/image:2",
  containerDiskInGb: 5,
  dockerEntrypoint: ["/bin/sh"],
  dockerStartCmd: ["-c", "run"],
  env: { MODE: "fast" },
  isPublic: true,
  ports: ["80/http"],
  readme: "# Read me",
  volumeInGb: 30,
  volumeMountPath: "/data",
};

it.each([
  ["PATCH", ""],
  ["PUT", ""],
  ["POST", "/update"],
] as const)("is changed by %s …%s: fields that are sent, and no other", async (method, suffix) => {
  await using service = await startTestHttp();
  const before = await create(service, { name: "mine", category: "AMD" });
  const path = `/v1/templates/${before.id}`;
  const changed = await service.call(method, `${path}${suffix}`, { body: CHANGES });
  expect(changed.status).toBe(200);
  expect(changed.json).toStrictEqual({ ...before, ...CHANGES });
  expect(await read(service, path)).toStrictEqual(changed.json);
});

it("takes an empty change for none", async () => {
  await using service = await startTestHttp();
  const before = await create(service, { name: "mine" });
  expect((await patch(service, before.id, {})).json).toStrictEqual(before);
});

it("says that a template that is not there is not", async () => {
  await using service = await startTestHttp();
  expect((await patch(service, "none", { readme: "x" })).json).toMatchObject({
    status: 404,
    code: "template_not_found",
  });
});

it("names every problem of a change", async () => {
  await using service = await startTestHttp();
  const { id } = await create(service, { name: "mine" });
  const { json } = await patch(service, id, {
    name: "",
    category: "AMD",
    isServerless: true,
    ports: ["80"],
    image_name: "x",
    id: "other",
  });
  expect((json as { problems: string[] }).problems.toSorted()).toStrictEqual(
    [
      'name must be a string of 1 to 191 characters; got ""',
      "category is set at creation and cannot be changed",
      "isServerless is set at creation and cannot be changed",
      'ports.0 must be a port and its protocol like 8888/http or 22/tcp; got "80"',
      'the key "image_name" is unknown; did you mean imageName?',
      'the key "id" is unknown',
    ].toSorted(),
  );
});

it("refuses a volume for a serverless template, and a name or credentials that cannot be", async () => {
  await using service = await startTestHttp();
  const { id } = await create(service, { name: "mine", isServerless: true });
  await create(service, { name: "taken" });
  expect((await patch(service, id, { volumeInGb: 1 })).json).toMatchObject({
    problems: [
      "volumeInGb must be 0 or absent: workers of serverless templates have no local volume",
    ],
  });
  expect((await patch(service, id, { name: "taken" })).json).toMatchObject({
    status: 400,
    code: "template_name_taken",
  });
  expect((await patch(service, id, { containerRegistryAuthId: "cl1" })).json).toMatchObject({
    problems: ['containerRegistryAuthId names no container registry auth: "cl1"'],
  });
  // Its own name is not taken.
  expect((await patch(service, id, { name: "mine" })).status).toBe(200);
});

it("replaces the workers of all its endpoints by new ones, and those of no other", async () => {
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

it("leaves the workers alone when it is told what it says already", async () => {
  await using service = await startTestHttp();
  const same = { imageName: "sv.local/echo", env: {}, ports: [], containerRegistryAuthId: "" };
  expect((await patch(service, "echo", same)).status).toBe(200);
  expect(await read(service, "/v1/endpoints/echo")).toMatchObject({ version: 1 });
});

it("lists a handler file's own template and public ones only when they are asked for", async () => {
  await using service = await startTestHttp();
  await create(service, { name: "mine", isServerless: true, imageName: "sv.local/echo" });
  await create(service, { name: "shared", isPublic: true });
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

it.each(["", "/echo"])(
  "refuses a flag of GET /templates%s that is neither true nor false",
  async (path) => {
    await using service = await startTestHttp();
    for (const name of [
      "includeEndpointBoundTemplates",
      "includePublicTemplates",
      "includePlatformTemplates",
      "includeRunpodTemplates",
    ]) {
      expect(await read(service, `/v1/templates${path}?${name}=maybe`)).toMatchObject({
        status: 400,
        problems: [`${name} must be true or false; got "maybe"`],
      });
    }
    expect((await service.call("GET", "/v1/templates/echo")).status).toBe(200);
  },
);
