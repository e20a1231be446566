/** Images, templates, volumes, registry auths and references of a config: their records and refusals. */
import { describe, expect, test } from "vitest";
import { keyedId } from "../../../../emulator/cli/config/resource-ids.ts";
import { readConfig } from "../../../../emulator/cli/config/config.ts";
import { temporaryTree } from "../../../temporary-tree.ts";

const ENVIRONMENT = { HF_TOKEN: "hf_1", REGISTRY_PASSWORD: "hush", EMPTY: "" };

async function read(written: object, environment: Readonly<Record<string, string>> = ENVIRONMENT) {
  await using tree = await temporaryTree({ "c.json": JSON.stringify(written, undefined, 2) });
  return await readConfig(tree.path("c.json"), "c.json", environment);
}

async function complaint(written: object): Promise<string> {
  const error: unknown = await read(written).catch((reason: unknown) => reason);
  return error instanceof Error ? error.message : "";
}

test("an endpoint of an image has its own template, with the names of the interface", async () => {
  const { images, resources } = await read({
    endpoints: {
      chat: {
        image: "registry.example/chat:1",
        name: "Chat",
        type: "LOAD_BALANCING",
        env: { MODE: "fast", TOKEN: { fromEnv: "HF_TOKEN" } },
        dockerStartCmd: ["serve"],
        dockerEntrypoint: ["/bin/sh"],
        ports: ["8000/http"],
        containerDiskInGb: 20,
        containerRegistryAuth: "example",
        networkVolumes: ["weights"],
        gpuTypeIds: ["NVIDIA L4"],
        allowedCudaVersions: ["12.8"],
        workersMin: 0,
      },
    },
    networkVolumes: { weights: { size: 10 } },
    containerRegistryAuths: {
      example: { username: "ada", password: { fromEnv: "REGISTRY_PASSWORD" } },
    },
  });
  const [image] = images;
  expect(image).toMatchObject({
    id: "chat",
    type: "LOAD_BALANCING",
    settings: {
      name: "Chat",
      networkVolumeId: resources.networkVolumes[0]?.id,
      gpuTypeIds: ["NVIDIA L4"],
      allowedCudaVersions: ["12.8"],
      workersMin: 0,
    },
    template: {
      envSources: { TOKEN: "HF_TOKEN" },
      template: {
        id: "chat",
        name: "chat",
        category: "NVIDIA",
        imageName: "registry.example/chat:1",
        env: { MODE: "fast", TOKEN: "hf_1" },
        dockerStartCmd: ["serve"],
        dockerEntrypoint: ["/bin/sh"],
        ports: ["8000/http"],
        containerDiskInGb: 20,
        containerRegistryAuthId: resources.registryAuths[0]?.id,
      },
    },
  });
  expect(Object.keys(image?.settings ?? {})).not.toContain("ports");
  expect(resources).toEqual({
    networkVolumes: [
      {
        id: expect.stringMatching(/^[0-9a-z]{10}$/),
        name: "weights",
        size: 10,
        dataCenterId: "EU-RO-1",
      },
    ],
    registryAuths: [
      {
        id: expect.stringMatching(/^cl[0-9a-z]{23}$/),
        name: "example",
        username: "ada",
        password: "hush",
      },
    ],
    templates: [],
  });
});

test("endpoints can share a template by its key", async () => {
  const { images, resources } = await read({
    endpoints: { a: { template: "base" }, b: { template: "base", workersMax: 1 } },
    templates: { base: { imageName: "busybox", env: { A: "1" } } },
  });
  const [served] = resources.templates;
  expect(served?.template).toMatchObject({ name: "base", imageName: "busybox", env: { A: "1" } });
  expect(images.map(({ template }) => template)).toEqual([
    served?.template.id,
    served?.template.id,
  ]);
});

test("a key in the form of an id is the id, and any other key always gives the same id", () => {
  expect(keyedId("networkVolume", "abcdefghi9")).toBe("abcdefghi9");
  expect(keyedId("networkVolume", "weights")).toBe(keyedId("networkVolume", "weights"));
  expect(keyedId("networkVolume", "weights")).not.toBe(keyedId("template", "weights"));
  expect(keyedId("registryAuth", "abcdefghi9")).toMatch(/^cl[0-9a-z]{23}$/);
});

describe("a config is refused", () => {
  const handler = "a.ts";
  test.each([
    [
      { endpoints: { a: {} } },
      "c.json:3:10: endpoints.a must have one of handler, command, image and template",
    ],
    [
      { endpoints: { a: { handler, image: "x" } } },
      "c.json:5:16: endpoints.a.image cannot stand beside handler",
    ],
    [{ endpoints: { a: { command: [] } } }, "endpoints.a.command must name a program"],
    [
      { endpoints: { a: { command: "python handler.py" } } },
      "endpoints.a.command must be an array of strings, the program and its arguments; got",
    ],
    [
      { endpoints: { a: { handler, cwd: "." } } },
      "endpoints.a.cwd is for an endpoint with a command",
    ],
    [
      { endpoints: { a: { command: ["x"], type: "LOAD_BALANCING" } } },
      "endpoints.a.type cannot be LOAD_BALANCING beside command, whose workers take jobs",
    ],
    [
      { endpoints: { a: { handler, ports: [] } } },
      "endpoints.a.ports is for an endpoint with an image",
    ],
    [
      { endpoints: { a: { template: "t", env: {} } }, templates: { t: { imageName: "x" } } },
      "endpoints.a.env cannot stand beside template",
    ],
    [
      { endpoints: { a: { template: "bases" } }, templates: { base: { imageName: "x" } } },
      'endpoints.a.template must name one of the templates of this config; there are base; got "bases"; did you mean base?',
    ],
    [
      {
        endpoints: { a: { template: "t" } },
        templates: { t: { imageName: "x", isServerless: false } },
      },
      "whose isServerless is false",
    ],
    [
      {
        endpoints: { a: { handler, networkVolumes: ["v", "w"] } },
        networkVolumes: { v: { size: 1 } },
      },
      'c.json:7:9: endpoints.a.networkVolumes.1 must name one of the networkVolumes of this config; there are v; got "w"',
    ],
    [{ endpoints: { a: { image: "x", containerRegistryAuth: "r" } } }, "there are none"],
    [
      { endpoints: { a: { image: "x" } }, templates: { t: { imageName: "x", name: "a" } } },
      "templates.t has the name a, which the template of endpoints.a has already",
    ],
    [
      { endpoints: { a: { handler } }, templates: { t: { imageName: "x", volumeInGb: 1 } } },
      "templates.t.volumeInGb must be 0 or absent",
    ],
    [
      { endpoints: { a: { image: "Team/App" } } },
      'endpoints.a.image must be the name of a container image like registry.example/team/app:1.0; got "Team/App": upper-case',
    ],
    [
      { endpoints: { a: { template: "t" } }, templates: { t: { imageName: "app:" } } },
      "templates.t.imageName must be the name of a container image",
    ],
    [
      { endpoints: { a: { image: "x", ports: ["80"] } } },
      "endpoints.a.ports.0 must be a port and its protocol",
    ],
    [
      { endpoints: { a: { handler, allowedCudaVersions: ["new"] } } },
      "endpoints.a.allowedCudaVersions.0 must be a version like 12.8",
    ],
    [
      { endpoints: { a: { handler, env: { T: { fromEnv: "HF_TOKN" } } } } },
      "c.json:6:14: endpoints.a.env.T is taken from the environment variable HF_TOKN, which is not set; did you mean HF_TOKEN?",
    ],
    [
      { endpoints: { a: { handler, env: { T: { fromEnv: "EMPTY" } } } } },
      "EMPTY, which is not set",
    ],
  ])("with %j: %s", async (written, sentence) => {
    const message = await complaint(written);
    expect(message).toContain(sentence);
    expect(message).toMatch(/^c\.json:\d+:\d+: /);
  });

  test("without showing a secret that is wrong", async () => {
    const message = await complaint({
      endpoints: { a: { handler } },
      containerRegistryAuths: { r: { username: ["topsecret"], password: { topsecret: 1 } } },
    });
    expect(message).toContain("containerRegistryAuths.r.password must be");
    expect(message).not.toContain("topsecret");
  });
});
