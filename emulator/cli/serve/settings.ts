/** Settles how the service is started: flags win over the environment, that over configs, and those over the defaults. */
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  ASK_FOR_GPUS,
  GPU_SETTING_RULE,
  type GpuSetting,
  isGpuSetting,
} from "../../core/workers/gpu-declaration.ts";
import { readSecretKey } from "../../core/resources/sealed-secret.ts";
import { isWebhookSecret, WEBHOOK_SECRET_RULE } from "../../core/webhooks/webhook-secret.ts";
import { LIMIT_MODES, type LimitMode } from "../../core/limits/rate-limit.ts";
import { hostsOf, listed, originsOf } from "./allowed-callers.ts";
import type { Config, ServerConfig } from "../config/config.ts";
import { fileAt } from "../config/places.ts";
import { shownPath } from "../place.ts";
import {
  DEFAULT_DATA_DIR,
  DEFAULT_HOST,
  DEFAULT_PORT,
  DOCKER_MODES,
  type DockerMode,
  type Environment,
  type LogMode,
  type ON_OFF,
  S3_OFF,
} from "./setting-values.ts";
import { UsageError } from "../usage-error.ts";

/** The flags as written; what is absent was not given. */
export interface Flags {
  readonly port?: string;
  readonly host?: string;
  readonly allowedHost?: readonly string[];
  readonly allowedOrigin?: readonly string[];
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
  readonly envFile?: readonly string[];
}

export interface Settings {
  readonly host: string;
  readonly port: number;
  /** Further names of the service. */
  readonly allowedHosts: readonly string[];
  /** Whose pages may call it. */
  readonly allowedOrigins: readonly string[];
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

/** A value with what decided it: a flag, a variable, a place in a config, or `default`. */
export interface Sourced<T> {
  readonly value: T;
  readonly source: string;
}

/** The settings, each with what decided it. */
export type SourcedSettings = { readonly [Key in keyof Settings]: Sourced<Settings[Key]> };

export const BY_DEFAULT = "default";

/** @throws UsageError when a value cannot be used, or when configs contradict each other */
export function settle(
  flags: Flags,
  env: Environment,
  configs: readonly Config[],
  cwd: string,
): Settings {
  const entries = Object.entries(settleSourced(flags, env, configs, cwd));
  return Object.fromEntries(entries.map(([key, { value }]) => [key, value])) as unknown as Settings;
}

/** @throws UsageError as `settle` does */
export function settleSourced(
  flags: Flags,
  env: Environment,
  configs: readonly Config[],
  cwd: string,
): SourcedSettings {
  const configured: Configured = (key) => agreed(configs, key, cwd);
  const variable = <T>(name: string, read: Reader<T>) => from(name, read(env[name], name));
  const s3Port = configured("s3Port");
  return {
    host: from("--host", flags.host) ?? configured("host") ?? byDefault(DEFAULT_HOST),
    port:
      from("--port", portOf(flags.port, "--port")) ??
      variable("SV_PORT", portOf) ??
      configured("port") ??
      byDefault(DEFAULT_PORT),
    ...callersOf(flags, env, configured),
    s3:
      from("--s3-port", s3Of(flags.s3Port, "--s3-port")) ??
      variable("SV_S3_PORT", s3Of) ??
      (s3Port && from(s3Port.source, s3Of(String(s3Port.value), "s3Port"))) ??
      byDefault({}),
    dataDir: dataDirOf(flags, configured("dataDir"), cwd),
    limits:
      from("--limits", flags.limits) ??
      variable("SV_LIMITS", limitsOf) ??
      configured("limits") ??
      byDefault("enforce"),
    gpus:
      from("--gpus", gpusOf(flags.gpus, "--gpus")) ??
      variable("SV_GPUS", gpusOf) ??
      configured("gpus") ??
      byDefault(ASK_FOR_GPUS),
    docker:
      from("--docker", flags.docker) ??
      variable("SV_DOCKER", dockerOf) ??
      configured("docker") ??
      byDefault("auto"),
    apiKey: from("SV_API_KEY", keyOf(env, "SV_API_KEY")) ?? byDefault(undefined),
    adminKey: from("SV_ADMIN_KEY", keyOf(env, "SV_ADMIN_KEY")) ?? byDefault(undefined),
    secretKey: from("SV_SECRET_KEY", secretKeyOf(env)) ?? byDefault(undefined),
    webhookSecret: from("SV_WEBHOOK_SECRET", webhookSecretOf(env)) ?? byDefault(undefined),
    localWebhooks:
      from("--local-webhooks", flags.localWebhooks && flags.localWebhooks === "on") ??
      byDefault(undefined),
  };
}

type Configured = <K extends keyof ServerConfig>(
  key: K,
) => Sourced<NonNullable<ServerConfig[K]>> | undefined;

/** Who may call. */
function callersOf(
  { allowedHost, allowedOrigin }: Flags,
  { SV_ALLOWED_HOSTS: hosts, SV_ALLOWED_ORIGINS: origins }: Environment,
  configured: Configured,
): Pick<SourcedSettings, "allowedHosts" | "allowedOrigins"> {
  return {
    allowedHosts:
      from("--allowed-host", hostsOf(allowedHost, "--allowed-host")) ??
      from("SV_ALLOWED_HOSTS", hostsOf(listed(hosts), "SV_ALLOWED_HOSTS")) ??
      configured("allowedHosts") ??
      byDefault([]),
    allowedOrigins:
      from("--allowed-origin", originsOf(allowedOrigin, "--allowed-origin")) ??
      from("SV_ALLOWED_ORIGINS", originsOf(listed(origins), "SV_ALLOWED_ORIGINS")) ??
      configured("allowedOrigins") ??
      byDefault([]),
  };
}

/** Undefined for what was not given. */
type Reader<T> = (text: string | undefined, source: string) => T | undefined;

function from<T>(source: string, value: T | undefined): Sourced<T> | undefined {
  return value === undefined ? undefined : { value, source };
}

function byDefault<T>(value: T): Sourced<T> {
  return { value, source: BY_DEFAULT };
}

function dataDirOf(
  flags: Flags,
  configured: Sourced<string> | undefined,
  cwd: string,
): Sourced<string | undefined> {
  if (flags.ephemeral === true) return { value: undefined, source: "--ephemeral" };
  const { value, source } =
    from("--data-dir", flags.dataDir) ?? configured ?? byDefault(DEFAULT_DATA_DIR);
  return { value: resolve(cwd, value), source };
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

function dockerOf(text: string | undefined, source: string): DockerMode | undefined {
  if (text === undefined || text === "") return undefined;
  const mode = DOCKER_MODES.find((known) => known === text);
  if (mode !== undefined) return mode;
  throw new UsageError(
    `${source} must be ${DOCKER_MODES.join(" or ")}; got ${JSON.stringify(text)}`,
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
): Sourced<NonNullable<ServerConfig[K]>> | undefined {
  const [first, ...others] = configs.filter(({ server }) => server[key] !== undefined);
  const other = others.find(({ server }) => !isDeepStrictEqual(server[key], first?.server[key]));
  if (first === undefined) return undefined;
  if (other === undefined) return from(fileAt(first.source, [key]), first.server[key] ?? undefined);
  throw new UsageError(
    `${shownPath(first.file, cwd)} and ${shownPath(other.file, cwd)} ask for a different ${key}; ` +
      "make them agree, or settle it with a flag",
  );
}
