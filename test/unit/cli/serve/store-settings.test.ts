/** The place of the service's data: precedence of flag, environment and config, and refusals. */
import { expect, test } from "vitest";
import { configReport } from "../../../../emulator/cli/config/config-report.ts";
import type { ServerConfig } from "../../../../emulator/cli/config/config.ts";
import { settle, settleSourced } from "../../../../emulator/cli/serve/settings.ts";
import { gatherStartOptions } from "../../../../emulator/cli/serve/start-options.ts";
import { UsageError } from "../../../../emulator/cli/usage-error.ts";
import { temporaryTree } from "../../../temporary-tree.ts";

const ONE = "postgres://ada:hush@one/sv";
const TWO = "postgres://ada:hush@two/sv";
const BUCKET = "s3://bucket/sv?endpoint=http://minio:9000&accessKeyId=a&secretAccessKey=hush";

function config(server: ServerConfig) {
  return {
    file: "/project/sv.config.json",
    endpoints: {},
    commands: [],
    images: [],
    resources: { networkVolumes: [], registryAuths: [], templates: [] },
    server,
    source: { shown: "c.json", text: JSON.stringify(server), written: { endpoints: {} } },
  };
}

test("by default no other store is set, and the data directory keeps everything", () => {
  const { store, objects, advertise } = settle({}, {}, [], "/project");
  expect([store, objects, advertise]).toEqual([undefined, undefined, undefined]);
});

test("a flag that names a store wins over the environment, that over a config", () => {
  const ofConfig = config({ store: ONE, objects: BUCKET });
  expect(settle({}, {}, [ofConfig], "/project")).toMatchObject({ store: ONE, objects: BUCKET });
  const env = { SV_STORE: TWO };
  expect(settleSourced({}, env, [ofConfig], "/project").store).toEqual({
    value: TWO,
    source: "SV_STORE",
  });
  const flags = { store: ONE };
  expect(settleSourced(flags, env, [], "/project").store).toEqual({
    value: ONE,
    source: "--store",
  });
});

test("an emulator with an advertised address shares the database", () => {
  const env = { SV_STORE: ONE, SV_ADVERTISE: "https://10.0.0.7:8888" };
  expect(settle({}, env, [], "/project").advertise).toBe("https://10.0.0.7:8888");
  const ofConfig = config({ store: ONE, advertise: "https://one.internal/" });
  expect(settle({}, {}, [ofConfig], "/project").advertise).toBe("https://one.internal/");
});

test("replicas call each other over plain HTTP on one machine, or where that is allowed", () => {
  const plain = { store: ONE, advertise: "http://10.0.0.7:8888" };
  const refusal = "--advertise is plain HTTP to another machine";
  expect(() => settle(plain, {}, [], "/project")).toThrow(refusal);
  expect(() => settle({ ...plain, insecureReplicas: "off" }, {}, [], "/project")).toThrow(refusal);
  expect(() => settle(plain, { SV_INSECURE_REPLICAS: "1" }, [], "/project")).toThrow(
    "SV_INSECURE_REPLICAS must be on or off",
  );
  const local = { store: ONE, advertise: "http://127.0.0.1:8888" };
  const allowed = [
    settle(local, {}, [], "/project"),
    settle({ ...plain, insecureReplicas: "on" }, {}, [], "/project"),
    settle(plain, { SV_INSECURE_REPLICAS: "on" }, [], "/project"),
    settle(plain, {}, [config({ insecureReplicas: true })], "/project"),
  ];
  expect(allowed.map(({ insecureReplicas }) => insecureReplicas)).toEqual([
    ...[undefined, true, true, true],
  ]);
});

test("--ephemeral keeps nothing, whatever config and environment say", () => {
  const ofConfig = config({ store: ONE, objects: BUCKET });
  const { store, objects } = settleSourced(
    { ephemeral: true },
    { SV_STORE: TWO },
    [ofConfig],
    "/project",
  );
  expect([store.value, objects.value]).toEqual([undefined, undefined]);
});

test.each([
  [{ store: "mysql://ada:hush@host/sv" }, "--store must be an address like postgres://"],
  [{ store: ONE, objects: "/var/payloads" }, "--objects must be an address like s3://"],
  [{ objects: BUCKET }, "--objects needs --store"],
  [{ advertise: "http://one:80" }, "--advertise needs --store"],
  [{ store: ONE, advertise: "one:80" }, "--advertise must be an address like https://"],
  [{ store: ONE, advertise: "http://one:80/path" }, "--advertise must be an address like https://"],
])("%j is refused without showing a secret", (flags, sentence) => {
  const settling = () => settle(flags, {}, [], "/project");
  expect(settling).toThrow(UsageError);
  expect(settling).toThrow(sentence);
  expect(settling).not.toThrow("hush");
});

test("a config names the variable of an address, and reports no secret in it", async () => {
  const written = {
    endpoints: { a: { command: ["true"] } },
    store: { fromEnv: "DATABASE_URL" },
    objects: BUCKET,
  };
  await using tree = await temporaryTree({ "c.json": JSON.stringify(written) });
  const env = { DATABASE_URL: ONE };
  const inputs = await gatherStartOptions({ targets: ["c.json"], flags: {} }, tree.root, env);
  const settings = settleSourced({}, env, inputs.configs, tree.root);
  expect(settings.store.value).toBe(ONE);
  const { service } = configReport(inputs, settings, tree.root);
  expect(service).toContainEqual({
    key: "store",
    value: "postgres://ada:***@one/sv",
    source: expect.stringMatching(/^c\.json:1:/),
  });
  expect(JSON.stringify(service)).not.toContain("hush");
  await expect(
    gatherStartOptions({ targets: ["c.json"], flags: {} }, tree.root, {}),
  ).rejects.toThrow("store is taken from the environment variable DATABASE_URL, which is not set");
});
