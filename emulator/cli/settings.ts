/** Settles how the service is started: flags win over the environment, that over configs, and those over the defaults. */
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  ASK_FOR_GPUS,
  GPU_SETTING_RULE,
  type GpuSetting,
  isGpuSetting,
} from "../core/gpu-declaration.ts";
import { readSecretKey } from "../core/sealed-secret.ts";
import { isWebhookSecret, WEBHOOK_SECRET_RULE } from "../core/webhook-secret.ts";
import { LIMIT_MODES, type LimitMode } from "../core/rate-limit.ts";
import type { Config, ServerConfig } from "./config.ts";
import { shownPath } from "./place.ts";
import { UsageError } from "./usage-error.ts";

export const DEFAULT_HOST = "127.0.0.1";
export const DEFAULT_PORT = 7080;
/** Seen from the current directory. */
export const DEFAULT_DATA_DIR = ".sv";

/** In the place of a port: no object store. */
export const S3_OFF = "off";

export const ON_OFF = ["on", "off"] as const;

/** Whether images are run as containers. */
export const DOCKER_MODES = ["auto", "off"] as const;
export type DockerMode = (typeof DOCKER_MODES)[number];

export const LOG_MODES = ["pretty", "json"] as const;
export type LogMode = (typeof LOG_MODES)[number];

/** The flags as written; what is absent was not given. */
export interface Flags {
  readonly port?: string;
  readonly host?: string;
  readonly dataDir?: string;
  readonly ephemeral?: true;
  readonly s3Port?: string;
  readonly gpus?: string;
  readonly docker?: DockerMode;
  readonly localWebhooks?: (typeof ON_OFF)[number];
  readonly limits?: LimitMode;
  readonly log?: LogMode;
  /** False for `--no-watch`. */
  readonly watch?: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Settings {
  readonly host: string;
  readonly port: number;
  /** False for no object store; without a port, one near `port`. */
  readonly s3: false | { readonly port?: number };
  /** Absolute; undefined keeps everything in memory. */
  readonly dataDir: string | undefined;
  /** What becomes of requests over the rate limits of production. */
  readonly limits: LimitMode;
  /** Which GPUs there are, as the option of the same name says it. */
  readonly gpus: GpuSetting;
  /** Whether images are run as containers. */
  readonly docker: DockerMode;
  /** The user key, if one was set. */
  readonly apiKey: string | undefined;
  /** The key for the emulator's own operations, if one was set. */
  readonly adminKey: string | undefined;
  /** What stored credentials are encrypted with, if it was set; in base64. */
  readonly secretKey: string | undefined;
  /** What webhook calls are signed with, if it was set. */
  readonly webhookSecret: string | undefined;
  /** Whether webhooks may lead to local addresses, if that was said. */
  readonly localWebhooks: boolean | undefined;
}

/** @throws UsageError when a value cannot be used, or when configs contradict each other */
export function settle(
  flags: Flags,
  env: Environment,
  configs: readonly Config[],
  cwd: string,
): Settings {
  const configured = <K extends keyof ServerConfig>(key: K) => agreed(configs, key, cwd);
  return {
    host: flags.host ?? configured("host") ?? DEFAULT_HOST,
    port:
      portOf(flags.port, "--port") ??
      portOf(env["SV_PORT"], "SV_PORT") ??
      configured("port") ??
      DEFAULT_PORT,
    s3:
      s3Of(flags.s3Port, "--s3-port") ??
      s3Of(env["SV_S3_PORT"], "SV_S3_PORT") ??
      s3Of(configured("s3Port")?.toString(), "s3Port") ??
      {},
    dataDir:
      flags.ephemeral === true
        ? undefined
        : resolve(cwd, flags.dataDir ?? configured("dataDir") ?? DEFAULT_DATA_DIR),
    limits:
      flags.limits ?? limitsOf(env["SV_LIMITS"], "SV_LIMITS") ?? configured("limits") ?? "enforce",
    gpus:
      gpusOf(flags.gpus, "--gpus") ??
      gpusOf(env["SV_GPUS"], "SV_GPUS") ??
      configured("gpus") ??
      ASK_FOR_GPUS,
    docker: flags.docker ?? dockerOf(env["SV_DOCKER"]) ?? configured("docker") ?? "auto",
    apiKey: keyOf(env, "SV_API_KEY"),
    adminKey: keyOf(env, "SV_ADMIN_KEY"),
    secretKey: secretKeyOf(env),
    webhookSecret: webhookSecretOf(env),
    localWebhooks: flags.localWebhooks === undefined ? undefined : flags.localWebhooks === "on",
  };
}

/** Where the log goes to people, it is pretty. */
export function logModeOf(flags: Flags, toTerminal: boolean): LogMode {
  return flags.log ?? (toTerminal ? "pretty" : "json");
}

/** An empty text is as good as none: shells make them from variables that are not set. */
function portOf(text: string | undefined, source: string): number | undefined {
  if (text === undefined || text === "") return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new UsageError(
    `${source} must be an integer from 0 to 65535 (0 takes any free port); got ${JSON.stringify(text)}`,
  );
}

function s3Of(text: string | undefined, source: string): Settings["s3"] | undefined {
  if (text === S3_OFF) return false;
  const port = portOf(text, source);
  return port === undefined ? undefined : { port };
}

function limitsOf(text: string | undefined, source: string): LimitMode | undefined {
  if (text === undefined || text === "") return undefined;
  const mode = LIMIT_MODES.find((known) => known === text);
  if (mode !== undefined) return mode;
  throw new UsageError(`${source} must be ${LIMIT_MODES.join(", ")}; got ${JSON.stringify(text)}`);
}

function dockerOf(text: string | undefined): DockerMode | undefined {
  if (text === undefined || text === "") return undefined;
  const mode = DOCKER_MODES.find((known) => known === text);
  if (mode !== undefined) return mode;
  throw new UsageError(
    `SV_DOCKER must be ${DOCKER_MODES.join(" or ")}; got ${JSON.stringify(text)}`,
  );
}

function gpusOf(text: string | undefined, source: string): string | undefined {
  if (text === undefined || text === "") return undefined;
  if (isGpuSetting(text)) return text;
  throw new UsageError(`${source} must ${GPU_SETTING_RULE}; got ${JSON.stringify(text)}`);
}

function keyOf(env: Environment, name: string): string | undefined {
  const text = env[name];
  if (text === undefined || text === "") return undefined;
  // What a header can carry unchanged. The message does not show the key.
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new UsageError(
    `${name} must consist of visible ASCII characters without spaces, for it is sent in a header`,
  );
}

function secretKeyOf(env: Environment): string | undefined {
  const text = env["SV_SECRET_KEY"];
  if (text === undefined || text === "") return undefined;
  if (readSecretKey(text) !== undefined) return text;
  // The message does not show the key.
  throw new UsageError(
    "SV_SECRET_KEY must be 32 bytes in base64; openssl rand -base64 32 makes one",
  );
}

function webhookSecretOf(env: Environment): string | undefined {
  const text = env["SV_WEBHOOK_SECRET"];
  if (text === undefined || text === "") return undefined;
  if (isWebhookSecret(text)) return text;
  throw new UsageError(`SV_WEBHOOK_SECRET ${WEBHOOK_SECRET_RULE}`);
}

function agreed<K extends keyof ServerConfig>(
  configs: readonly Config[],
  key: K,
  cwd: string,
): ServerConfig[K] | undefined {
  const [first, ...others] = configs.filter(({ server }) => server[key] !== undefined);
  const other = others.find(({ server }) => !isDeepStrictEqual(server[key], first?.server[key]));
  if (first === undefined || other === undefined) return first?.server[key];
  throw new UsageError(
    `${shownPath(first.file, cwd)} and ${shownPath(other.file, cwd)} ask for a different ${key}; ` +
      "make them agree, or settle it with a flag",
  );
}
