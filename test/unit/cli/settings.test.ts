/** States which of flag, environment, config and default wins, and which values are refused. */
import { describe, expect, test } from "vitest";
import type { Config, ServerConfig } from "../../../emulator/cli/config.ts";
import { type Environment, type Flags, logModeOf, settle } from "../../../emulator/cli/settings.ts";
import { UsageError } from "../../../emulator/cli/usage-error.ts";

const CWD = "/home/ada/project";

function config(server: ServerConfig, file = `${CWD}/sv.config.json`): Config {
  return { file, endpoints: {}, server };
}

function settled(flags: Flags, env: Environment = {}, ...configs: Config[]) {
  return settle(flags, env, configs, CWD);
}

test("without anything said: loopback, port 7080, .sv in the current directory, no key of one's own", () => {
  expect(settled({})).toEqual({
    host: "127.0.0.1",
    port: 7080,
    s3: {},
    dataDir: `${CWD}/.sv`,
    apiKey: undefined,
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

test("--ephemeral keeps nothing, whatever a config says", () => {
  expect(settled({ ephemeral: true }, {}, config({ dataDir: "/d" })).dataDir).toBeUndefined();
});

test("an empty variable is as good as none", () => {
  expect(settled({}, { SV_PORT: "", SV_API_KEY: "" })).toMatchObject({
    port: 7080,
    apiKey: undefined,
  });
});

test("SV_API_KEY is the key to accept", () => {
  expect(settled({}, { SV_API_KEY: "s3cret-~!" }).apiKey).toBe("s3cret-~!");
});

describe("what is refused", () => {
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
