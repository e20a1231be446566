/** States which of flag, environment, config and default wins, and which values are refused. */
import { describe, expect, test } from "vitest";
import type { Config, ServerConfig } from "../../../../emulator/cli/config/config.ts";
import {
  type Flags,
  logModeOf,
  settle,
  settleSourced,
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
    apiKey: undefined,
    adminKey: undefined,
  });
});

test("a flag wins over the environment, that over a config", () => {
  const fromConfig = config({ port: 3, host: "::1", dataDir: "/var/sv" });
  const flags: Flags = { port: "1", host: "0.0.0.0", dataDir: "here" };
  const env = { SV_PORT: "2" };
  expect(settled(flags, env, fromConfig)).toMatchObject({
    port: 1,
    host: "0.0.0.0",
    dataDir: `${CWD}/here`,
  });
  expect(settled({}, env, fromConfig)).toMatchObject({
    port: 2,
    host: "::1",
    dataDir: "/var/sv",
  });
  expect(settled({}, {}, fromConfig)).toMatchObject({ port: 3 });
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

test("the object store's port is set in the same order, and it can be switched off", () => {
  const fromConfig = config({ s3Port: 3 });
  expect(settled({ s3Port: "1" }, { SV_S3_PORT: "2" }, fromConfig).s3).toEqual({ port: 1 });
  expect(settled({}, { SV_S3_PORT: "0" }, fromConfig).s3).toEqual({ port: 0 });
  expect(settled({}, {}, fromConfig).s3).toEqual({ port: 3 });
  expect(settled({ s3Port: "off" }, {}, fromConfig).s3).toBe(false);
  expect(settled({}, { SV_S3_PORT: "off" }).s3).toBe(false);
  expect(settled({}, {}, config({ s3Port: "off" })).s3).toBe(false);
  expect(() => settled({ s3Port: "on" })).toThrow("--s3-port must be an integer from 0 to 65535");
});

test("callers are set in the same order, and an invalid name or origin is refused", () => {
  const fromConfig = config({ allowedHosts: ["c"], allowedOrigins: ["http://c"] });
  const flags = { allowedHost: ["a", "*.b"], allowedOrigin: ["http://a"] };
  const env = { SV_ALLOWED_HOSTS: "d, e", SV_ALLOWED_ORIGINS: "http://d,*" };
  expect(settled(flags, env, fromConfig)).toMatchObject({
    allowedHosts: ["a", "*.b"],
    allowedOrigins: ["http://a"],
  });
  expect(settled({}, env, fromConfig)).toMatchObject({
    allowedHosts: ["d", "e"],
    allowedOrigins: ["http://d", "*"],
  });
  expect(settled({}, { SV_ALLOWED_HOSTS: "" }, fromConfig)).toMatchObject({
    allowedHosts: ["c"],
    allowedOrigins: ["http://c"],
  });
  expect(settled({})).toMatchObject({ allowedHosts: [], allowedOrigins: [] });
  expect(() => settled({ allowedHost: ["http://a"] })).toThrow(
    "--allowed-host must be a host name or an address without scheme and port",
  );
  expect(() => settled({}, { SV_ALLOWED_ORIGINS: "a.b" })).toThrow(
    'SV_ALLOWED_ORIGINS must be an origin like https://app.example.com or http://localhost:3000, without a path, or * for any; got "a.b"',
  );
});

test("the mode of the rate limits is set in the same order", () => {
  const fromConfig = config({ limits: "off" });
  expect(settled({ limits: "enforce" }, { SV_LIMITS: "warn" }, fromConfig).limits).toBe("enforce");
  expect(settled({}, { SV_LIMITS: "warn" }, fromConfig).limits).toBe("warn");
  expect(settled({}, { SV_LIMITS: "" }, fromConfig).limits).toBe("off");
  expect(() => settled({}, { SV_LIMITS: "on" })).toThrow(
    'SV_LIMITS must be enforce, warn, off; got "on"',
  );
});

test("the GPUs are set in the same order, and an invalid declaration is refused", () => {
  const fromConfig = config({ gpus: "none" });
  expect(settled({ gpus: "auto" }, { SV_GPUS: "L4=2" }, fromConfig).gpus).toBe("auto");
  expect(settled({}, { SV_GPUS: "L4=2" }, fromConfig).gpus).toBe("L4=2");
  expect(settled({}, { SV_GPUS: "" }, fromConfig).gpus).toBe("none");
  const list = [{ type: "NVIDIA L4", count: 2 }];
  expect(settled({}, {}, config({ gpus: list }), config({ gpus: [...list] })).gpus).toEqual(list);
  expect(settled({ gpus: "simulate" }, {}, config({ gpus: list })).gpus).toBe("simulate");
  const sentence =
    'must be auto, none, simulate, or names with numbers like "NVIDIA L4=2,NVIDIA H200=1" (1 to 1000 each); got "L4=many"';
  expect(() => settled({ gpus: "L4=many" })).toThrow(`--gpus ${sentence}`);
  expect(() => settled({}, { SV_GPUS: "L4=many" })).toThrow(`SV_GPUS ${sentence}`);
});

test("--ephemeral keeps nothing, whatever a config says", () => {
  expect(settled({ ephemeral: true }, {}, config({ dataDir: "/d" })).dataDir).toBeUndefined();
});

test("an empty variable counts as unset", () => {
  expect(settled({}, { SV_PORT: "", SV_API_KEY: "" })).toMatchObject({
    port: 7080,
    apiKey: undefined,
  });
});

test("a given key of fewer than 8 characters is for this machine alone", () => {
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

describe("what is refused", () => {
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

  test("configs that contradict each other, unless a flag settles it", () => {
    const configs = [config({ port: 1 }), config({ port: 2 }, "/etc/other.json")];
    expect(() => settled({}, {}, ...configs)).toThrow(
      "sv.config.json and /etc/other.json ask for a different port; make them agree, or settle it with a flag",
    );
    expect(settled({ port: "3" }, {}, ...configs).port).toBe(3);
    expect(settled({}, {}, config({ port: 1 }), config({ port: 1, host: "h" }))).toMatchObject({
      port: 1,
      host: "h",
    });
  });
});

test("the log is pretty for people and JSON for machines, unless a flag says which", () => {
  expect(logModeOf({}, true)).toBe("pretty");
  expect(logModeOf({}, false)).toBe("json");
  expect(logModeOf({ log: "json" }, true)).toBe("json");
  expect(logModeOf({ log: "pretty" }, false)).toBe("pretty");
});

test("whether images are run is set in the same order", () => {
  const fromConfig = config({ docker: "off" });
  expect(settled({ docker: "auto" }, { SV_DOCKER: "off" }, fromConfig).docker).toBe("auto");
  expect(settled({}, { SV_DOCKER: "auto" }, fromConfig).docker).toBe("auto");
  expect(settled({}, { SV_DOCKER: "" }, fromConfig).docker).toBe("off");
  expect(() => settled({}, { SV_DOCKER: "on" })).toThrow('SV_DOCKER must be auto or off; got "on"');
});

test("images run in a cluster where a namespace is named", () => {
  const fromConfig = config({ kubernetes: "gpu", workerPort: 7443 });
  expect(settled({ kubernetes: "own" }, { SV_KUBERNETES: "other" }, fromConfig).kubernetes).toBe(
    "own",
  );
  expect(settled({}, {}, fromConfig).kubernetes).toBe("gpu");
  expect(settled({}).kubernetes).toBeUndefined();
  expect(() => settled({ kubernetes: "No_Name" })).toThrow(
    "--kubernetes must be the name of a namespace",
  );
  expect(() => settled({}, { SV_KUBERNETES: "gpu" })).toThrow(
    "SV_KUBERNETES needs --worker-port, where pods take their jobs",
  );
});

test("proxies are named with commas between them, and each must be an address or a range", () => {
  const fromConfig = config({ trustProxy: ["10.0.0.0/8"] });
  const env = { SV_TRUST_PROXY: "private" };
  expect(settled({ trustProxy: "loopback, ::1" }, env, fromConfig)).toMatchObject({
    trustProxy: ["loopback", "::1"],
  });
  expect(settled({}, env, fromConfig)).toMatchObject({ trustProxy: ["private"] });
  expect(settled({}, {}, fromConfig)).toMatchObject({ trustProxy: ["10.0.0.0/8"] });
  expect(() => settled({ trustProxy: "loopback,*" })).toThrow("--trust-proxy must be an address");
});

test("a certificate and its key may come from different places, but not one without the other", () => {
  const fromConfig = config({ tlsCert: "/etc/c.pem", tlsKey: "/etc/c.key" });
  expect(settled({ tlsCert: "a.pem", tlsKey: "/b.key" }, {}, fromConfig).tls).toEqual({
    cert: `${CWD}/a.pem`,
    key: "/b.key",
  });
  expect(settled({}, { SV_TLS_KEY: "d.key" }, fromConfig).tls).toEqual({
    cert: "/etc/c.pem",
    key: `${CWD}/d.key`,
  });
  expect(settled({}).tls).toBeUndefined();
  expect(() => settled({ tlsCert: "a.pem" })).toThrow("--tls-cert needs --tls-key");
  expect(() => settled({}, { SV_TLS_KEY: "d.key" })).toThrow("SV_TLS_KEY needs --tls-cert");
});

test("the port for workers from elsewhere may have an address, but not without the port", () => {
  const fromConfig = config({ workerPort: 1, workerAddress: "a:1" });
  expect(settled({}, {}, fromConfig)).toMatchObject({ workerPort: 1, workerAddress: "a:1" });
  expect(settled({ workerPort: "0" }, { SV_WORKER_ADDRESS: "[::1]:2" }, fromConfig)).toMatchObject({
    workerPort: 0,
    workerAddress: "[::1]:2",
  });
  expect(settled({})).toMatchObject({ workerPort: undefined, workerAddress: undefined });
  expect(() => settled({ workerPort: "x" })).toThrow("--worker-port must be an integer");
  expect(() => settled({ workerAddress: "a:1" })).toThrow(
    "--worker-address goes with --worker-port",
  );
  expect(() => settled({ workerPort: "1", workerAddress: "tls://a:1" })).toThrow(
    "--worker-address must be host:port",
  );
});
