/** Settles the options of a start: flags override the environment, which overrides configs, which override defaults. */
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { shortKeyProblem } from "../../core/access/exposure.ts";
import { DASHBOARD_MODES, type DashboardMode } from "../../core/access/dashboard-mode.ts";
import {
  ASK_FOR_GPUS,
  GPU_SETTING_RULE,
  isGpuSetting,
} from "../../core/workers/gpu-declaration.ts";
import { isNamespace, NAMESPACE_RULE } from "../../core/workers/kubernetes-namespace.ts";
import { isWebhookSecret, WEBHOOK_SECRET_RULE } from "../../core/webhooks/webhook-secret.ts";
import { LIMIT_MODES, type LimitMode } from "../../core/limits/rate-limit.ts";
import type { EmulatorOptions } from "../../index.ts";
import type { Config, ServerConfig } from "../config/config.ts";
import { fileAt } from "../config/key-positions.ts";
import { shownPath } from "../given-path.ts";
import { type Configured, type NetworkFlags, networkSettings } from "./network-settings.ts";
import { byDefault, flagsOver, from, type Reader, ruled, type Sourced } from "./setting-source.ts";
import { secretKeyIn, type StoreFlags, storeSettings } from "./store-settings.ts";
import {
  DEFAULT_DATA_DIR,
  DOCKER_MODES,
  type DockerMode,
  type Environment,
  type LogMode,
  type ON_OFF,
} from "./setting-values.ts";
import { UsageError } from "../usage-error.ts";

/** The flags as written; one that was not given is absent. */
export interface Flags extends NetworkFlags, StoreFlags {
  readonly dataDir?: string;
  readonly ephemeral?: true;
  readonly gpus?: string;
  readonly docker?: DockerMode;
  readonly kubernetes?: string;
  readonly localWebhooks?: (typeof ON_OFF)[number];
  readonly limits?: LimitMode;
  readonly dashboard?: DashboardMode;
  readonly log?: LogMode;
  /** False for `--no-watch`. */
  readonly watch?: boolean;
  readonly poll?: true;
  readonly open?: true;
  readonly envFile?: readonly string[];
}

/** The settings, each with its source. */
export type SourcedSettings = ReturnType<typeof settleSourced>;

/** Options of the service. The data directory is absolute. */
export type Settings = {
  readonly [Key in keyof SourcedSettings]: SourcedSettings[Key]["value"] & EmulatorOptions[Key];
};

/** @throws UsageError for an invalid value, or for configs that contradict each other */
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
) {
  const configured: Configured = (key) => agreed(configs, key, cwd);
  const { said, variable } = flagsOver(env);
  const network = networkSettings(flags, env, configured, cwd);
  const kubernetes =
    said("kubernetes", flags.kubernetes, namespaceIn) ??
    configured("kubernetes") ??
    byDefault(undefined);
  const keys = {
    apiKey: variable("SV_API_KEY", keyIn) ?? byDefault(undefined),
    adminKey: variable("SV_ADMIN_KEY", keyIn) ?? byDefault(undefined),
  };
  refuseShortKeys(Object.values(keys), network.host.value);
  if (kubernetes.value !== undefined && network.workerPort.value === undefined)
    throw new UsageError(`${kubernetes.source} needs --worker-port, where pods take their jobs`);
  return {
    ...network,
    kubernetes,
    kubernetesPod: configured("kubernetesPod") ?? byDefault(undefined),
    dataDir: dataDirOf(flags, configured("dataDir"), cwd),
    ...storeOf(flags, env, configured),
    limits: said("limits", flags.limits, limitsIn) ?? configured("limits") ?? byDefault("enforce"),
    gpus: said("gpus", flags.gpus, gpusIn) ?? configured("gpus") ?? byDefault(ASK_FOR_GPUS),
    docker: said("docker", flags.docker, dockerIn) ?? configured("docker") ?? byDefault("auto"),
    dashboard: said("dashboard", flags.dashboard, dashboardIn) ?? byDefault("on"),
    ...keys,
    secretKey: variable("SV_SECRET_KEY", secretKeyIn) ?? byDefault(undefined),
    webhookSecret: variable("SV_WEBHOOK_SECRET", webhookSecretIn) ?? byDefault(undefined),
    localWebhooks:
      from("--local-webhooks", flags.localWebhooks && flags.localWebhooks === "on") ??
      byDefault(undefined),
  };
}

/** @throws UsageError */
function refuseShortKeys(keys: readonly Sourced<string | undefined>[], host: string): void {
  for (const { value, source } of keys) {
    const problem = value === undefined ? undefined : shortKeyProblem(value, host);
    if (problem !== undefined) throw new UsageError(`${source} ${problem}`);
  }
}

/** With `--ephemeral` nothing is stored, even if a config or the environment names a store. */
const EPHEMERAL: Sourced<undefined> = { value: undefined, source: "--ephemeral" };

function storeOf(flags: Flags, env: Environment, configured: Configured) {
  if (flags.ephemeral === true)
    return {
      ...{ store: EPHEMERAL, objects: EPHEMERAL },
      ...{ advertise: EPHEMERAL, insecureReplicas: EPHEMERAL },
    };
  return storeSettings(flags, env, configured, configured("insecureReplicas"));
}

function dataDirOf(
  flags: Flags,
  configured: Sourced<string> | undefined,
  cwd: string,
): Sourced<string | undefined> {
  if (flags.ephemeral === true) return EPHEMERAL;
  const { value, source } =
    from("--data-dir", flags.dataDir) ?? configured ?? byDefault(DEFAULT_DATA_DIR);
  return { value: resolve(cwd, value), source };
}

/** The log is pretty in a terminal by default. */
export function logModeOf(flags: Flags, toTerminal: boolean): LogMode {
  return flags.log ?? (toTerminal ? "pretty" : "json");
}

function oneOf<T extends string>(known: readonly T[], separator: string): Reader<T> {
  const rule = `must be ${known.join(separator)}`;
  const check = ruled((text) => known.some((each) => each === text), rule);
  return (text, source) => check(text, source) as T;
}

const gpusIn = ruled(isGpuSetting, `must ${GPU_SETTING_RULE}`);
const limitsIn: Reader<LimitMode> = oneOf(LIMIT_MODES, ", ");
const dockerIn: Reader<DockerMode> = oneOf(DOCKER_MODES, " or ");
const namespaceIn = ruled(isNamespace, `must ${NAMESPACE_RULE}`);
const dashboardIn: Reader<DashboardMode> = oneOf(DASHBOARD_MODES, ", ");
/** Characters that a header can contain unchanged. */
const keyIn = ruled(
  (text) => /^[\x21-\x7e]+$/.test(text),
  "must consist of visible ASCII characters without spaces, because it is sent in a header",
  false,
);
const webhookSecretIn = ruled(isWebhookSecret, WEBHOOK_SECRET_RULE, false);

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
    `${shownPath(first.file, cwd)} and ${shownPath(other.file, cwd)} have different values of ${key}; ` +
      "give both the same value, or set it with a flag",
  );
}
