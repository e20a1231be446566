/** Templates over HTTP: created with defaults, refused with every problem named, deleted when nothing uses them. */
import { expect, it } from "vitest";
import { startTestHttp, type TestHttp } from "../../http-harness.ts";

const DEFAULTS = {
  category: "NVIDIA",
  containerDiskInGb: 50,
  dockerEntrypoint: [],
  dockerStartCmd: [],
  env: {},
  isPublic: false,
  isServerless: false,
  ports: ["8888/http", "22/tcp"],
  readme: "",
  volumeInGb: 20,
  volumeMountPath: "/workspace",
  isPlatform: false,
  earned: 0,
  runtimeInMin: 0,
};

const create = (service: TestHttp, body: unknown) =>
  service.call("POST", "/v1/templates", { body });

it("creates a template with the documented defaults and shows it again", async () => {
  await using service = await startTestHttp();
  const created = await create(service, { name: "mine", imageName: "me/image:1" });
  expect(created.status).toBe(200);
  const expected = {
    id: expect.stringMatching(/^[a-z0-9]{10}$/),
    name: "mine",
    imageName: "me/image:1",
    ...DEFAULTS,
  };
  expect(created.json).toStrictEqual(expected);
  const { id } = created.json as { id: string };
  expect((await service.call("GET", `/v1/templates/${id}`)).json).toStrictEqual(created.json);
  const list = (await service.call("GET", "/v1/templates")).json as { name: string }[];
  expect(list.map(({ name }) => name)).toStrictEqual(["mine"]);
});

it("keeps every field that is sent", async () => {
  await using service = await startTestHttp();
  const body = {
    name: "full",
    imageName: "me/image:2",
    category: "CPU",
    containerDiskInGb: 5,
    dockerEntrypoint: ["/bin/sh"],
    dockerStartCmd: ["-c", "run"],
    env: { MODE: "fast", EMPTY: "" },
    isPublic: true,
    isServerless: true,
    ports: ["80/http"],
    readme: "# Read me",
    volumeInGb: 0,
    volumeMountPath: "/data",
  };
  expect((await create(service, body)).json).toMatchObject(body);
});

it("gives a serverless template no volume, and takes ports as the one string the contract shows", async () => {
  await using service = await startTestHttp();
  const body = { name: "s", imageName: "i", isServerless: true, ports: "8888/http,22/tcp" };
  expect((await create(service, body)).json).toMatchObject({
    volumeInGb: 0,
    ports: ["8888/http", "22/tcp"],
  });
});

it("names every problem of a body, unknown keys with what was probably meant", async () => {
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
  [
    '{"name":"a","imageName":"b","isServerless":true,"volumeInGb":1}',
    "volumeInGb must be 0 or absent: workers of serverless templates have no local volume",
  ],
  [
    '{"name":"a","imageName":"b","containerRegistryAuthId":"cl1"}',
    'containerRegistryAuthId names no container registry auth: "cl1"',
  ],
  [
    '{"name":"a","imageName":"b","ports":["70000/tcp"]}',
    'ports.0 must be a port and its protocol like 8888/http or 22/tcp; got "70000/tcp"',
  ],
  [
    '{"name":"a","imageName":"Some Image"}',
    'imageName must be the name of a container image like registry.example/team/app:1.0; got "Some Image": the character " " cannot stand in a name',
  ],
  ["[]", "the body must be an object; got an array"],
])("refuses %s", async (body, problem) => {
  await using service = await startTestHttp();
  expect((await create(service, body)).json).toMatchObject({ status: 400, problems: [problem] });
});

it.each(["", "{", "nonsense", '{"name": "\xff"}'])(
  "refuses a body that is no JSON: %j",
  async (text) => {
    await using service = await startTestHttp();
    const body = Buffer.from(text, "latin1");
    expect((await create(service, body)).json).toMatchObject({ status: 400, code: "invalid_json" });
  },
);

it("refuses a body of more than a megabyte", async () => {
  await using service = await startTestHttp();
  const answer = await create(service, {
    name: "a",
    imageName: "b",
    readme: "x".repeat(1_000_000),
  });
  expect(answer.json).toMatchObject({ status: 413, code: "payload_too_large" });
});

it("refuses a name that is taken, also when both come at once", async () => {
  await using service = await startTestHttp();
  const answers = await Promise.all(
    [1, 2].map(() => create(service, { name: "twin", imageName: "i" })),
  );
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toStrictEqual([200, 400]);
  expect((await create(service, { name: "twin", imageName: "i" })).json).toStrictEqual({
    error: 'there is already a template named "twin"',
    code: "template_name_taken",
    status: 400,
  });
});

it("deletes a template with 204 and an empty body, and then knows it no more", async () => {
  await using service = await startTestHttp();
  const { id } = (await create(service, { name: "gone", imageName: "i" })).json as { id: string };
  const path = `/v1/templates/${id}`;
  const deleted = await service.call("DELETE", path);
  expect(deleted).toMatchObject({ status: 204, text: "" });
  expect((await service.call("GET", path)).json).toMatchObject({
    status: 404,
    code: "template_not_found",
  });
  expect((await service.call("DELETE", path)).json).toMatchObject({
    status: 404,
    code: "template_not_found",
  });
  expect((await create(service, { name: "gone", imageName: "i" })).status).toBe(200);
});

it("keeps a template that an endpoint uses, and names the endpoint", async () => {
  await using service = await startTestHttp();
  expect((await service.call("DELETE", "/v1/templates/echo")).json).toStrictEqual({
    error: 'the template "echo" is used by the endpoint "echo"; change or delete it first',
    code: "in_use",
    status: 400,
  });
  expect((await service.call("GET", "/v1/templates/echo")).status).toBe(200);
});
