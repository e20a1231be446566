/** The config made from an emulator's resources, and remarks about resources that a config cannot express. */
import { describe, expect, it } from "vitest";
import { configSchema } from "../../../../emulator/cli/config/config-schema.ts";
import { configOf, type ExportedResources } from "../../../../emulator/cli/export/config-of.ts";
import { templateOf } from "../../../../emulator/core/resources/templates/template-fields.ts";
import {
  type LocalHandler,
  localEndpoint,
  localTemplate,
} from "../../../../emulator/handlers/local-endpoint.ts";

const NOTHING: ExportedResources = {
  endpoints: [],
  templates: [],
  networkVolumes: [],
  registryAuths: [],
  origins: { endpoints: [], templates: [] },
};

function handlerResources(handler: LocalHandler): ExportedResources {
  return {
    ...NOTHING,
    endpoints: [localEndpoint(handler, "")],
    templates: [localTemplate(handler)],
    origins: { endpoints: [{ id: handler.id, handlerPath: handler.path }], templates: [] },
  };
}

function exported(resources: ExportedResources) {
  const { config, losses } = configOf(resources, "/project/conf");
  expect(configSchema.safeParse(config).error).toBeUndefined();
  return { config, losses };
}

it("an export writes a handler as its file, and only settings that are not the default", () => {
  const resources = handlerResources({
    id: "hello",
    path: "/project/src/hello.ts",
    settings: { workersMax: 9 },
  });
  expect(exported(resources)).toEqual({
    config: { endpoints: { hello: { handler: "../src/hello.ts", workersMax: 9 } } },
    losses: [],
  });
});

it("an export writes a command, and its directory if that is not the config's", () => {
  const resources = handlerResources({ id: "a", path: "" });
  const from = (cwd: string) => ({
    ...resources,
    origins: { endpoints: [{ id: "a", command: ["python", "a.py"], cwd }], templates: [] },
  });
  const command = ["python", "a.py"];
  expect(exported(from("/project/conf"))).toEqual({
    config: { endpoints: { a: { command } } },
    losses: [],
  });
  expect(exported(from("/project/src")).config.endpoints).toEqual({
    a: { command, cwd: "../src" },
  });
});

it("an export writes that a command's workers share their directory", () => {
  const command = ["python", "a.py"];
  const origin = { id: "a", command, cwd: "/project/conf", workingDirectory: "shared" } as const;
  const resources = handlerResources({ id: "a", path: "" });
  const { config } = exported({ ...resources, origins: { endpoints: [origin], templates: [] } });
  expect(config.endpoints).toEqual({ a: { command, workingDirectory: "shared" } });
});

it("an export writes the type of machine if it does not follow from the GPUs", () => {
  const settings = { gpuCount: 2, computeType: "CPU" } as const;
  const { config } = exported(handlerResources({ id: "a", path: "/project/conf/a.ts", settings }));
  expect(config.endpoints).toEqual({ a: { handler: "./a.ts", gpuCount: 2, computeType: "CPU" } });
});

it("an export uses the id as the key of a resource made over the interface, and writes its name", () => {
  const template = templateOf({
    id: "abcdefghij",
    name: "my template",
    imageName: "x",
    env: { A: "1", T: "secret" },
    ports: ["1/tcp"],
    containerRegistryAuthId: "cl00000000000000000000001",
  });
  const endpoint = {
    ...localEndpoint({ id: "01234567890abc" }, "", template.id),
    name: "Chat",
    networkVolumeId: "volume0001",
  };
  expect(
    exported({
      endpoints: [endpoint],
      templates: [template],
      networkVolumes: [{ id: "volume0001", name: "scratch", size: 3, dataCenterId: "US-1" }],
      registryAuths: [{ id: "cl00000000000000000000001", name: "ghcr.io/my team" }],
      origins: { endpoints: [], templates: [{ id: template.id, envSources: { T: "TOKEN" } }] },
    }),
  ).toEqual({
    config: {
      endpoints: {
        "01234567890abc": { template: "abcdefghij", name: "Chat", networkVolumes: ["volume0001"] },
      },
      templates: {
        abcdefghij: {
          name: "my template",
          imageName: "x",
          env: { A: "1", T: { fromEnv: "TOKEN" } },
          ports: ["1/tcp"],
          containerRegistryAuth: "cl00000000000000000000001",
        },
      },
      networkVolumes: { volume0001: { size: 3, dataCenterId: "US-1", name: "scratch" } },
      containerRegistryAuths: {
        cl00000000000000000000001: {
          name: "ghcr.io/my team",
          username: { fromEnv: "GHCR_IO_MY_TEAM_USERNAME" },
          password: { fromEnv: "GHCR_IO_MY_TEAM_PASSWORD" },
        },
      },
    },
    losses: [],
  });
});

describe("an export names settings that a config cannot express:", () => {
  it("an endpoint without a known file", () => {
    const resources = handlerResources({ id: "a", path: "/a.ts" });
    const { config, losses } = configOf({ ...resources, origins: NOTHING.origins }, "/");
    expect(config.endpoints).toEqual({});
    expect(losses).toEqual([
      "the endpoint a is left out: it is not known which handler file or command it is served from",
    ]);
  });

  it("a change of a handler's own template", () => {
    const resources = handlerResources({ id: "a", path: "/a.ts" });
    const templates = resources.templates.map((each) => ({
      ...each,
      readme: "x",
      ports: ["1/tcp"],
    }));
    expect(configOf({ ...resources, templates }, "/").losses).toEqual([
      "a config cannot express these fields of the template of the endpoint a: ports, readme",
    ]);
  });
});
