/** Precedence of flag, environment, config and default, and refused values. */
import { describe, expect, test } from "vitest";
import type { Config, ServerConfig } from "../../../../emulator/cli/config/config.ts";
import {
  type Flags,
  logModeOf,
  settle,
  settleSourced,
  type Settings,
} from "../../../../emulator/cli/serve/settings.ts";
import type { Environment } from "../../../../emulator/cli/serve/setting-values.ts";
import { UsageError } from "../../../../emulator/cli/usage-error.ts";

const CWD = "/home/ada/project";

function config(server: ServerConfig, file = `${CWD}/sv.config.json`): Config {
  return {
    file,
    endpoints: {},
    commands: [],
    images: [],
    resources: { networkVolumes: [], registryAuths: [], templates: [] },
    server,
    source: { shown: "c.json", text: JSON.stringify(server), written: { endpoints: {} } },
  };
}

function settled(flags: Flags, env: Environment = {}, ...configs: Config[]) {
  return settle(flags, env, configs, CWD);
}

test("the defaults are loopback, port 7080, .sv in the current directory, and no given key", () => {
  expect(settled({})).toEqual({
    host: "127.0.0.1",
    port: 7080,
    allowedHosts: [],
    allowedOrigins: [],
    trustProxy: [],
    s3: {},
    gpus: "auto",
    docker: "auto",
    dashboard: "on",
    dataDir: `${CWD}/.sv`,
    limits: "enforce",
  });
});

interface Order {
  readonly key: keyof Settings;
  readonly flags: Flags;
  readonly env: Environment;
  readonly server: ServerConfig;
  /** The values by flag, environment and config. */
  readonly values: readonly [unknown, unknown, unknown];
}

const LIST = [{ type: "NVIDIA L4", count: 2 }];

const ORDERS: readonly Order[] = [
  {
    ...{ key: "port", flags: { port: "1" }, env: { SV_PORT: "2" }, server: { port: 3 } },
    values: [1, 2, 3],
  },
  {
    ...{ key: "s3", flags: { s3Port: "1" }, env: { SV_S3_PORT: "0" }, server: { s3Port: 3 } },
    values: [{ port: 1 }, { port: 0 }, { port: 3 }],
  },
  {
    ...{ key: "s3", flags: { s3Port: "off" }, env: { SV_S3_PORT: "off" } },
    ...{ server: { s3Port: "off" }, values: [false, false, false] },
  },
  {
    ...{ key: "allowedHosts", flags: { allowedHost: ["a", "*.b"] } },
    ...{ env: { SV_ALLOWED_HOSTS: "d, e" }, server: { allowedHosts: ["c"] } },
    values: [["a", "*.b"], ["d", "e"], ["c"]],
  },
  {
    ...{ key: "allowedOrigins", flags: { allowedOrigin: ["http://a"] } },
    ...{ env: { SV_ALLOWED_ORIGINS: "http://d,*" }, server: { allowedOrigins: ["http://c"] } },
    values: [["http://a"], ["http://d", "*"], ["http://c"]],
  },
  {
    ...{ key: "trustProxy", flags: { trustProxy: "loopback, ::1" } },
    ...{ env: { SV_TRUST_PROXY: "private" }, server: { trustProxy: ["10.0.0.0/8"] } },
    values: [["loopback", "::1"], ["private"], ["10.0.0.0/8"]],
  },
  {
    ...{ key: "limits", flags: { limits: "enforce" }, env: { SV_LIMITS: "warn" } },
    ...{ server: { limits: "off" }, values: ["enforce", "warn", "off"] },
  },
  {
    ...{ key: "gpus", flags: { gpus: "auto" }, env: { SV_GPUS: "L4=2" } },
    ...{ server: { gpus: LIST }, values: ["auto", "L4=2", LIST] },
  },
  {
    ...{ key: "docker", flags: { docker: "auto" }, env: { SV_DOCKER: "auto" } },
    ...{ server: { docker: "off" }, values: ["auto", "auto", "off"] },
  },
  {
    ...{ key: "kubernetes", flags: { kubernetes: "own" }, env: { SV_KUBERNETES: "other" } },
    ...{ server: { kubernetes: "gpu", workerPort: 7443 }, values: ["own", "other", "gpu"] },
  },
  {
    ...{ key: "workerPort", flags: { workerPort: "0" }, env: { SV_WORKER_PORT: "2" } },
    ...{ server: { workerPort: 1 }, values: [0, 2, 1] },
  },
  {
    ...{ key: "workerAddress", flags: { workerAddress: "b:1" } },
    ...{ env: { SV_WORKER_ADDRESS: "[::1]:2" }, server: { workerPort: 1, workerAddress: "a:1" } },
    values: ["b:1", "[::1]:2", "a:1"],
  },
];

test.each(ORDERS)(
  "$key follows a flag, the environment or a config, in this order",
  ({ key, flags, env, server, values }) => {
    const unset = Object.fromEntries(Object.keys(env).map((name) => [name, ""]));
    expect(settled(flags, env, config(server))[key]).toEqual(values[0]);
    expect(settled({}, env, config(server))[key]).toEqual(values[1]);
    expect(settled({}, unset, config(server))[key]).toEqual(values[2]);
    expect(settled({}, {}, config(server), config({ ...server }))[key]).toEqual(values[2]);
  },
);

test("host and data directory follow a flag or a config", () => {
  const fromConfig = config({ host: "::1", dataDir: "/var/sv" });
  expect(settled({ host: "0.0.0.0", dataDir: "here" }, {}, fromConfig)).toMatchObject({
    host: "0.0.0.0",
    dataDir: `${CWD}/here`,
  });
  expect(settled({}, {}, fromConfig)).toMatchObject({ host: "::1", dataDir: "/var/sv" });
  expect(settled({ ephemeral: true }, {}, fromConfig).dataDir).toBeUndefined();
});

const GPUS =
  'must be auto, none, simulate, or names with numbers like "NVIDIA L4=2,NVIDIA H200=1" (1 to 1000 each); got "L4=many"';
const ORIGIN =
  "an origin like https://app.example.com or http://localhost:3000, without a path, or * for any";

test.each<[Flags, Environment, string]>([
  [{ s3Port: "on" }, {}, "--s3-port must be an integer from 0 to 65535"],
  [
    { allowedHost: ["http://a"] },
    {},
    "--allowed-host must be a host name or an address without scheme and port",
  ],
  [{}, { SV_ALLOWED_ORIGINS: "a.b" }, `SV_ALLOWED_ORIGINS must be ${ORIGIN}; got "a.b"`],
  [{ trustProxy: "loopback,*" }, {}, "--trust-proxy must be an address"],
  [{}, { SV_LIMITS: "on" }, 'SV_LIMITS must be enforce, warn, off; got "on"'],
  [{ gpus: "L4=many" }, {}, `--gpus ${GPUS}`],
  [{}, { SV_GPUS: "L4=many" }, `SV_GPUS ${GPUS}`],
  [{}, { SV_DOCKER: "on" }, 'SV_DOCKER must be auto or off; got "on"'],
  [{ kubernetes: "No_Name" }, {}, "--kubernetes must be the name of a namespace"],
  [{}, { SV_KUBERNETES: "gpu" }, "SV_KUBERNETES needs --worker-port, where pods take their jobs"],
  [{ workerPort: "x" }, {}, "--worker-port must be an integer"],
  [{ workerAddress: "a:1" }, {}, "--worker-address needs --worker-port"],
  [{ workerPort: "1", workerAddress: "tls://a:1" }, {}, "--worker-address must be host:port"],
  [{ tlsCert: "a.pem" }, {}, "--tls-cert needs --tls-key"],
  [{}, { SV_TLS_KEY: "d.key" }, "SV_TLS_KEY needs --tls-cert"],
])("%j with the environment %j is refused", (flags, env, sentence) => {
  expect(() => settled(flags, env)).toThrow(sentence);
});

test("each value has its source", () => {
  const sourced = settleSourced(
    { port: "1" },
    { SV_LIMITS: "off" },
    [config({ host: "::1" })],
    CWD,
  );
  expect(sourced).toMatchObject({
    port: { value: 1, source: "--port" },
    limits: { value: "off", source: "SV_LIMITS" },
    host: { value: "::1", source: "c.json:1:9" },
    gpus: { value: "auto", source: "default" },
  });
});

test("an empty variable counts as unset", () => {
  expect(settled({}, { SV_PORT: "", SV_API_KEY: "" })).toMatchObject({
    port: 7080,
    apiKey: undefined,
  });
});

test("a given key of fewer than 8 characters is accepted for this machine only", () => {
  const short = { SV_API_KEY: "seven77" };
  expect(settled({}, short).apiKey).toBe("seven77");
  expect(() => settled({ host: "0.0.0.0" }, short)).toThrow(
    "SV_API_KEY must have at least 8 characters where the service listens at 0.0.0.0",
  );
  const both = { SV_API_KEY: "long-enough", SV_ADMIN_KEY: "short" };
  expect(() => settled({ host: "::" }, both)).toThrow("SV_ADMIN_KEY must have at least 8");
});

test("SV_API_KEY is the key to accept, SV_ADMIN_KEY the one for the emulator's own operations", () => {
  expect(settled({}, { SV_API_KEY: "s3cret-~!" }).apiKey).toBe("s3cret-~!");
  expect(settled({}, { SV_ADMIN_KEY: "adm1n" })).toMatchObject({
    apiKey: undefined,
    adminKey: "adm1n",
  });
});

test("SV_WEBHOOK_SECRET signs webhooks; --local-webhooks says whether they may be local", () => {
  const secret = `whsec_${Buffer.alloc(24, 1).toString("base64")}`;
  expect(settled({}, { SV_WEBHOOK_SECRET: secret }).webhookSecret).toBe(secret);
  expect(settled({}, { SV_WEBHOOK_SECRET: "" }).webhookSecret).toBeUndefined();
  expect(settled({}).localWebhooks).toBeUndefined();
  expect(settled({ localWebhooks: "on" }).localWebhooks).toBe(true);
  expect(settled({ localWebhooks: "off" }).localWebhooks).toBe(false);
});

test("SV_SECRET_KEY is 32 bytes in base64; anything else is refused and not shown", () => {
  const key = Buffer.alloc(32, 7).toString("base64");
  expect(settled({}, { SV_SECRET_KEY: key }).secretKey).toBe(key);
  expect(settled({}, { SV_SECRET_KEY: "" }).secretKey).toBeUndefined();
  expect(() => settled({}, { SV_SECRET_KEY: "hunter2" })).toThrow(UsageError);
  expect(() => settled({}, { SV_SECRET_KEY: "hunter2" })).not.toThrow("hunter2");
});

describe("a start refuses", () => {
  test.each(["whsec_", "whsec_c2hvcnQ=", "secret", `whsec_${"!".repeat(40)}`])(
    "the webhook secret %j, which is not shown",
    (secret) => {
      const settling = () => settled({}, { SV_WEBHOOK_SECRET: secret });
      expect(settling).toThrow("SV_WEBHOOK_SECRET must be whsec_ and the base64 of 24 to 64 bytes");
    },
  );

  test.each(["65536", "-1", "7080.5", "http", " 80", "0x50", "1e3", "999999"])(
    "the port %j",
    (text) => {
      expect(() => settled({ port: text })).toThrow(UsageError);
      expect(() => settled({ port: text })).toThrow(
        `--port must be an integer from 0 to 65535 (0 takes any free port); got ${JSON.stringify(text)}`,
      );
      expect(() => settled({}, { SV_PORT: text })).toThrow("SV_PORT must be an integer");
    },
  );

  test.each(["two words", "tab\t", "line\n", "schlüssel"])(
    "the key %j, which is not shown",
    (key) => {
      expect(() => settled({}, { SV_API_KEY: key })).toThrow(UsageError);
      expect(() => settled({}, { SV_API_KEY: key })).not.toThrow(key);
    },
  );

  test("configs that contradict each other without a flag that decides", () => {
    const configs = [config({ port: 1 }), config({ port: 2 }, "/etc/other.json")];
    expect(() => settled({}, {}, ...configs)).toThrow(
      "sv.config.json and /etc/other.json have different values of port; give both the same value, or set it with a flag",
    );
    expect(settled({ port: "3" }, {}, ...configs).port).toBe(3);
    expect(settled({}, {}, config({ port: 1 }), config({ port: 1, host: "h" }))).toMatchObject({
      port: 1,
      host: "h",
    });
  });
});

test("the log is pretty in a terminal and JSON elsewhere, unless a flag says which", () => {
  expect(logModeOf({}, true)).toBe("pretty");
  expect(logModeOf({}, false)).toBe("json");
  expect(logModeOf({ log: "json" }, true)).toBe("json");
  expect(logModeOf({ log: "pretty" }, false)).toBe("pretty");
});

test("a certificate and its key may come from different places", () => {
  const fromConfig = config({ tlsCert: "/etc/c.pem", tlsKey: "/etc/c.key" });
  expect(settled({ tlsCert: "a.pem", tlsKey: "/b.key" }, {}, fromConfig).tls).toEqual({
    cert: `${CWD}/a.pem`,
    key: "/b.key",
  });
  expect(settled({}, { SV_TLS_KEY: "d.key" }, fromConfig).tls).toEqual({
    cert: "/etc/c.pem",
    key: `${CWD}/d.key`,
  });
});
