/** Templates in GraphQL: saved, read, deleted by name, and correct over the other interface. */
import { expect, it } from "vitest";
import { startTestHttp, type TestHttp } from "../../http-harness.ts";
import { dataOf, messageOf } from "../graphql/graphql-harness.ts";

const FIELDS = `id name imageName category dockerArgs containerDiskInGb containerRegistryAuthId volumeInGb
  volumeMountPath ports portsConfig { port name } env { key value } isServerless isPublic isRunpod readme
  advancedStart startJupyter startScript startSsh`;

const SAVE = `mutation ($input: SaveTemplateInput!) { saveTemplate(input: $input) { ${FIELDS} } }`;

type Shown = Readonly<Record<string, unknown>> & { readonly id: string };

async function save(service: TestHttp, input: object): Promise<Shown> {
  const { saveTemplate } = await dataOf(service, SAVE, { variables: { input } });
  return saveTemplate as Shown;
}

async function read(service: TestHttp, id: string): Promise<Shown | null> {
  const { podTemplate } = await dataOf(
    service,
    `query ($id: String!) { podTemplate(id: $id) { ${FIELDS} } }`,
    { variables: { id } },
  );
  return podTemplate as Shown | null;
}

it("a template is created with empty values for unset fields", async () => {
  await using service = await startTestHttp();
  const input = {
    name: "upscale",
    imageName: "example/upscale:1",
    dockerArgs: "python -u 'my handler.py'",
    containerDiskInGb: 10,
    volumeInGb: 0,
    volumeMountPath: null,
    ports: "",
    env: [{ key: "MODEL", value: "small" }],
    isServerless: true,
    containerRegistryAuthId: "",
    startSsh: true,
    isPublic: false,
    readme: "",
  };
  const saved = await save(service, input);
  expect(saved).toEqual({
    id: expect.stringMatching(/^[a-z0-9]{10}$/u),
    name: "upscale",
    imageName: "example/upscale:1",
    category: "NVIDIA",
    dockerArgs: "python -u 'my handler.py'",
    containerDiskInGb: 10,
    containerRegistryAuthId: null,
    volumeInGb: 0,
    volumeMountPath: "/workspace",
    ports: "",
    portsConfig: [],
    env: [{ key: "MODEL", value: "small" }],
    isServerless: true,
    isPublic: false,
    isRunpod: false,
    readme: "",
    advancedStart: false,
    startJupyter: true,
    startScript: "",
    startSsh: true,
  });
  expect(await read(service, saved.id)).toEqual(saved);
});

it("a template accepts ports as one text or as a list", async () => {
  await using service = await startTestHttp();
  const pod = { imageName: "example/pod:1" };
  const ports = "8888/http, 22/tcp";
  const { ports: spaced } = await save(service, { ...pod, name: "a", ports });
  expect(spaced).toBe("8888/http,22/tcp");
  const listed = await save(service, { ...pod, name: "b", ports: ["80/http"] });
  expect(listed["ports"]).toBe("80/http");
});

it("saving a template with an id changes it: absent or null fields stay, an empty text clears", async () => {
  await using service = await startTestHttp();
  const { id, ...before } = await save(service, {
    name: "upscale",
    imageName: "example/upscale:1",
    dockerArgs: '{"cmd":["serve"],"entrypoint":["/bin/tini","--"]}',
    ports: "8000/http",
    env: [{ key: "A", value: "1" }],
    isServerless: true,
    readme: "# Upscale",
  });
  const changed = await save(service, { id, imageName: "example/upscale:2", env: null });
  expect(changed).toEqual({ ...before, id, imageName: "example/upscale:2" });
  // As a client that reads a template and writes it back.
  const { isRunpod: _, ...written } = changed;
  expect(await save(service, written)).toEqual(changed);
  const emptied = { id, dockerArgs: "", ports: "", env: [], readme: "" };
  expect(await save(service, emptied)).toMatchObject(emptied);
  const { json } = await service.call("GET", `/v1/templates/${id}`);
  expect(json).toMatchObject({ dockerEntrypoint: [], dockerStartCmd: [], ports: [], env: {} });
});

it.each([
  [{ name: "a", imageName: "example/a:1", startScript: "echo" }, "startScript is not served"],
])("a template %j is refused: %s", async (input, text) => {
  await using service = await startTestHttp();
  expect(await messageOf(service, SAVE, { variables: { input } })).toContain(text);
});

it("a template is listed among the account's own, and public ones are distinct from official ones", async () => {
  await using service = await startTestHttp();
  await save(service, { name: "own", imageName: "example/own:1" });
  await save(service, { name: "public", imageName: "example/public:1", isPublic: true });
  const names = (list: unknown) => (list as { name: string }[]).map(({ name }) => name);
  const { myself } = await dataOf(service, "{ myself { podTemplates { name } } }");
  expect(names((myself as { podTemplates: unknown }).podTemplates)).toEqual(["own", "public"]);
  const listed = async (input: string) =>
    names((await dataOf(service, `{ podTemplates${input} { name } }`))["podTemplates"]);
  expect(await listed("(input: {isRunpod: false})")).toEqual(["public"]);
  expect(await listed("(input: {isRunpod: true})")).toEqual([]);
  expect(await listed("")).toEqual(["public"]);
  expect(await read(service, "none")).toBeNull();
});
