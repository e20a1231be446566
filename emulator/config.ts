/** `sv-runtime/config`: what a config file written in TypeScript or JavaScript imports. */
import type { ConfigInput } from "./cli/config/config-schema.ts";

export type { ConfigInput } from "./cli/config/config-schema.ts";

/** A config, or a function that makes it when it is read. */
export type ConfigSource = ConfigInput | (() => ConfigInput | Promise<ConfigInput>);

/**
 * Answers what it is given: with it an editor knows the keys of a config, and refuses wrong ones.
 *
 * The keys, their defaults and their bounds are those of docs/configuration.md; `sv-emulate` checks them when it reads the
 * file, and names file, line and key of what is wrong.
 */
export function defineConfig(config: ConfigSource): ConfigSource {
  return config;
}
