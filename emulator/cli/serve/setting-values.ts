/** Values and defaults of settings of a start. */

export const DEFAULT_HOST = "127.0.0.1";
export const DEFAULT_PORT = 7080;
/** Relative to the current directory. */
export const DEFAULT_DATA_DIR = ".sv";

/** Value in place of a port: no object store. */
export const S3_OFF = "off";

export const ON_OFF = ["on", "off"] as const;

/** Whether images are run as containers. */
export const DOCKER_MODES = ["auto", "off"] as const;
export type DockerMode = (typeof DOCKER_MODES)[number];

export const LOG_MODES = ["pretty", "json"] as const;
export type LogMode = (typeof LOG_MODES)[number];

export type Environment = Readonly<Record<string, string | undefined>>;
