/** `sv-runtime/config`: for config files written in TypeScript or JavaScript. */
import type { ConfigInput } from "./cli/config/config-schema.ts";

export type { ConfigInput } from "./cli/config/config-schema.ts";

/** A config, or a function that makes it when it is read. */
export type ConfigSource = ConfigInput | (() => ConfigInput | Promise<ConfigInput>);

/**
 * Returns its argument. Its type tells an editor the keys of a config. docs/configuration.md lists the keys, their defaults and
 * their bounds. `sv-emulate` checks them when it reads the file, and names file, line and key of a problem.
 */
export function defineConfig(config: ConfigSource): ConfigSource {
  return config;
}
