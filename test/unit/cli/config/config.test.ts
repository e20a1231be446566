/** Keys of a config, and problems with file, key and allowed values. */
import { describe, expect, test } from "vitest";
import { readConfig } from "../../../../emulator/cli/config/config.ts";
import { UsageError } from "../../../../emulator/cli/usage-error.ts";
import { temporaryTree } from "../../../temporary-tree.ts";

async function complaint(text: string): Promise<string> {
  await using tree = await temporaryTree({ "c.json": text });
  const error: unknown = await readConfig(tree.path("c.json"), "c.json", {}).catch(
    (reason: unknown) => reason,
  );
  if (!(error instanceof UsageError)) throw new Error("no usage error", { cause: error });
  return error.message;
}

/** An endpoint "a" with a handler and other keys. */
function endpointWith(more: object): string {
  return JSON.stringify({ endpoints: { a: { handler: "./a.ts", ...more } } });
}

test("every key is accepted, and paths are relative to the config's directory", async () => {
  const settings = {
    workersMin: 0,
    workersMax: 2,
    idleTimeout: 30,
    scalerType: "REQUEST_COUNT",
    scalerValue: 1,
    executionTimeoutMs: 5000,
  };
  const written = {
    endpoints: {
      "Up-scale_2": {
        handler: "../src/up.ts",
        env: { MODE: "", FLAG: "1" },
        volume: "../data",
        retries: { handlerError: 2 },
        ...settings,
      },
      plain: { handler: "/srv/plain" },
    },
    port: 0,
    host: "::1",
    dataDir: "state",
    tlsCert: "tls/cert.pem",
    tlsKey: "tls/key.pem",
  };
  await using tree = await temporaryTree({ "conf/c.json": JSON.stringify(written) });
  const { source: _, ...config } = await readConfig(tree.path("conf/c.json"), "c.json", {});
  expect(config).toEqual({
    file: tree.path("conf/c.json"),
    endpoints: {
      "Up-scale_2": {
        path: tree.path("src/up.ts"),
        env: { MODE: "", FLAG: "1" },
        volume: tree.path("data"),
        settings: { ...settings, retries: { workerLost: 1, handlerError: 2 } },
      },
      plain: { path: "/srv/plain", settings: {} },
    },
    commands: [],
    images: [],
    resources: { networkVolumes: [], registryAuths: [], templates: [] },
    server: {
      port: 0,
      host: "::1",
      dataDir: tree.path("conf/state"),
      tlsCert: tree.path("conf/tls/cert.pem"),
      tlsKey: tree.path("conf/tls/key.pem"),
    },
  });
});

describe("unknown keys are named", () => {
  test("at the top level", async () => {
    expect(await complaint('{"endpoint": {}, "endpoints": {"a": {"handler": "a.ts"}}}')).toBe(
      'c.json:1:2: the config has the unknown key "endpoint"; did you mean endpoints? known are endpoints, templates, ' +
        "networkVolumes, containerRegistryAuths, port, host, tlsCert, tlsKey, workerPort, workerAddress, allowedHosts, allowedOrigins, trustProxy, s3Port, dataDir, store, objects, " +
        "advertise, insecureReplicas, limits, gpus, docker, kubernetes, kubernetesPod, $schema",
    );
  });

  test("of an endpoint", async () => {
    expect(await complaint(endpointWith({ workers_max: 2 }))).toMatch(
      /^c\.json:1:39: endpoints\.a has the unknown key "workers_max"; did you mean workersMax\? known are handler, command, .*, volumeMountPath$/,
    );
  });

  test.each([
    ['{"metadata": {"name": "a"}}', 'kubernetesPod.metadata has the unknown key "name"'],
    ['{"spec": {"containers": [{"name": "proxy"}]}}', "must be worker; got"],
    ['{"spec": {"containers": [{}, {}]}}', "must have one container, worker"],
    ['"pod.yaml"', 'kubernetesPod must be a pod template; got "pod.yaml"'],
  ])("of a pod template: %s", async (template, sentence) => {
    expect(await complaint(`{"endpoints": {}, "kubernetesPod": ${template}}`)).toContain(sentence);
  });

  test("of an endpoint's retries, without a similar key", async () => {
    expect(await complaint(endpointWith({ retries: { onCrash: 1 } }))).toBe(
      'c.json:1:50: endpoints.a.retries has the unknown key "onCrash"; known are workerLost, handlerError',
    );
  });

  test.each([
    [{ imageName: "a" }, "did you mean image?"],
    [{ networkVolumeId: "a" }, "did you mean networkVolumes?"],
    [{ concurrency: 2 }, "it is an option of the handler (export const concurrency = 4);"],
  ])("that belong elsewhere: %j", async (more, hint) => {
    expect(await complaint(endpointWith(more))).toContain(hint);
  });
});

describe("a wrong value is refused", () => {
  test.each([
    [
      { handler: 5 },
      "handler must be the path of a handler file or of a directory with one; got 5",
    ],
    [{ handler: "" }, 'a directory with one; got ""'],
    [{ workersMin: -1 }, "workersMin must be an integer from 0 to 1000; got -1"],
    [{ workersMax: "3" }, 'workersMax must be an integer from 0 to 1000; got "3"'],
    [{ workersMax: 1001 }, "workersMax must be an integer from 0 to 1000; got 1001"],
    [{ idleTimeout: 0 }, "idleTimeout must be an integer from 1 to 3600 (seconds); got 0"],
    [{ idleTimeout: 1.5 }, "(seconds); got 1.5"],
    [{ scalerType: "QUEUE" }, 'scalerType must be QUEUE_DELAY or REQUEST_COUNT; got "QUEUE"'],
    [{ scalerValue: 0 }, "scalerValue must be an integer from 1 to 1000000; got 0"],
    [
      { executionTimeoutMs: 4999 },
      "executionTimeoutMs must be an integer from 5000 to 604800000; got 4999",
    ],
    [
      { retries: { workerLost: 101 } },
      "retries.workerLost must be an integer from 0 to 100; got 101",
    ],
    [{ retries: null }, "retries must be an object; got null"],
    [{ scalerType: "REQUESTCOUNTS" }, "did you mean REQUEST_COUNT?"],
    [
      { env: { DEBUG: true } },
      'env.DEBUG must be a string, or {"fromEnv": "NAME"} for one that a variable of that name holds; got true',
    ],
    [{ env: ["A=1"] }, "env must be an object; got an array"],
    [{ volume: "" }, 'volume must be the path of a directory; got ""'],
    [{ workersMin: 4 }, "workersMin must be at most workersMax, which is 3; it is 4"],
    [{ workersMax: 0 }, "workersMin must be at most workersMax, which is 0; it is 1"],
  ])("%j: %s", async (more, sentence) => {
    const message = await complaint(endpointWith(more));
    expect(message).toMatch(/^c\.json:1:\d+: endpoints\.a\./);
    expect(message).toContain(sentence);
    expect(message).not.toContain("\n");
  });

  test.each([
    [
      '{"port": 65536, "endpoints": {"a": {"handler": "a"}}}',
      "port must be an integer from 0 to 65535",
    ],
    [
      '{"allowedHosts": ["a:1"], "endpoints": {"a": {"handler": "a"}}}',
      "allowedHosts.0 must be a host name or an address without scheme and port",
    ],
    [
      '{"host": "", "endpoints": {"a": {"handler": "a"}}}',
      "host must be a host name or an address",
    ],
    [
      '{"dataDir": 1, "endpoints": {"a": {"handler": "a"}}}',
      "dataDir must be the path of a directory",
    ],
    ["{}", "endpoints must be an object, endpoints by id; got nothing"],
    ['{"endpoints": {}}', "endpoints must name at least one endpoint"],
    ['{"endpoints": {"a": "a.ts"}}', 'endpoints.a must be an object; got "a.ts"'],
    [
      '{"endpoints": {"a b": {"handler": "a"}}}',
      'endpoints has the key "a b"; ids consist of letters',
    ],
    ['{"endpoints": {"__proto__": {"handler": "a"}}}', 'endpoints has the key "__proto__"'],
    [
      '{"endpoints": {"billing": {"handler": "a"}}}',
      'endpoints has the key "billing", an id that is reserved: /live/v2/billing is where',
    ],
    ["[]", "the config must be an object; got an array"],
  ])("%s: %s", async (text, sentence) => {
    const message = await complaint(text);
    expect(message).toMatch(/^c\.json:1:\d+: /);
    expect(message).toContain(`: ${sentence}`);
  });
});

describe("the value of gpus", () => {
  const endpoints = { a: { handler: "/a.ts" } };

  test.each([
    ["auto"],
    ["simulate"],
    ["NVIDIA L4=2"],
    [[]],
    [[{ type: "NVIDIA L4" }, { type: "NVIDIA H200", count: 8, memoryGb: 140.4 }]],
  ])("can be %j", async (gpus) => {
    await using tree = await temporaryTree({ "c.json": JSON.stringify({ endpoints, gpus }) });
    expect((await readConfig(tree.path("c.json"), "c.json", {})).server.gpus).toEqual(gpus);
  });

  const rule = "gpus must be auto, none, simulate, or names with numbers";
  test.each([
    ["L4=many", `${rule} like "NVIDIA L4=2,NVIDIA H200=1" (1 to 1000 each), or a list`],
    ["", rule],
    [2, rule],
    [["NVIDIA L4"], 'gpus.0 must be an object like {"type": "NVIDIA L4", "count": 2}; got "NVIDIA'],
    [[{ count: 1 }], "gpus.0.type must be the name of a GPU type; got nothing"],
    [
      [{ type: "L4" }, { type: "L4", count: 0 }],
      "gpus.1.count must be an integer from 1 to 1000; got 0",
    ],
    [[{ type: "L4", memoryGb: 0 }], "gpus.0.memoryGb must be a number above 0 (GiB); got 0"],
    [
      [{ type: "L4", memoryGB: 24 }],
      'gpus.0 has the unknown key "memoryGB"; did you mean memoryGb? known are type, count, memoryGb',
    ],
  ])("%j: %s", async (gpus, sentence) => {
    const message = await complaint(JSON.stringify({ endpoints, gpus }));
    expect(message).toMatch(/^c\.json:1:\d+: gpus/u);
    expect(message).toContain(sentence);
  });
});

test("several problems are reported together", async () => {
  const text = endpointWith({ workersMin: -1, idleTimeout: 0, colour: "red" });
  expect((await complaint(text)).split("\n")).toEqual([
    "c.json has 3 problems:",
    expect.stringMatching(/^ {2}c\.json:1:\d+: endpoints\.a\.workersMin must be/),
    expect.stringContaining("endpoints.a.idleTimeout must be"),
    expect.stringContaining('endpoints.a has the unknown key "colour"'),
  ]);
});

test("invalid JSON is reported with its place", async () => {
  expect(await complaint('{"endpoints":\n {},}')).toBe(
    'c.json:2:5: the config is not valid JSON: unexpected "}"; expected a key in double quotes',
  );
});

test("the refusal of an unreadable config says why", async () => {
  await using tree = await temporaryTree({ "c.json/": "" });
  await expect(readConfig(tree.path("c.json"), "c.json", {})).rejects.toThrow(
    /^c\.json cannot be read: .*directory/,
  );
});
