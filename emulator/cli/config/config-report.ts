/** `sv-emulate config`: prints the endpoints and settings of a start with their sources, without secrets. */
import { z } from "zod";
import { shownAddress } from "../../core/store-address.ts";
import {
  type CommandEndpoint,
  type ImageEndpoint,
  localEndpoint,
  type LocalHandler,
} from "../../handlers/local-endpoint.ts";
import { CONFIG_PARTS } from "./config-schema.ts";
import type { Config } from "./config.ts";
import { isFromEnv } from "./fields.ts";
import { fileAt } from "./key-positions.ts";
import { shownPath } from "../given-path.ts";
import { settleSourced, type SourcedSettings } from "../serve/settings.ts";
import { BY_DEFAULT, type Sourced } from "../serve/setting-source.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { gatherStartOptions, type StartOptions } from "../serve/start-options.ts";
import type { ConfigInvocation } from "./config-flags.ts";

export interface ReportedSetting {
  readonly key: string;
  /** Absent for a secret. */
  readonly value?: unknown;
  readonly isSecret?: true;
  readonly source: string;
}

/** Settings by part: `service`, or a part of a config like `endpoints.hello`. */
export type ConfigReport = Readonly<Record<string, readonly ReportedSetting[]>>;

const SECRET_SETTINGS = new Set(["apiKey", "adminKey", "secretKey", "webhookSecret"]);
/** Names of variables with secret values. */
const SECRET_NAME = /key|token|secret|passw|credential/iu;
const CREDENTIALS = new Set(["username", "password"]);
const TARGET = "target";

/** Runs `sv-emulate config`. @throws UsageError as a start would */
export async function showConfig(
  invocation: Pick<ConfigInvocation, "targets" | "flags">,
  cwd: string,
  environment: Record<string, string | undefined>,
  print: (text: string) => void,
): Promise<ExitCode> {
  const inputs = await gatherStartOptions(invocation, cwd, environment);
  const settings = settleSourced(invocation.flags, inputs.environment, inputs.configs, cwd);
  const report = configReport(inputs, settings, cwd);
  const { json } = invocation.flags;
  print(`${json === true ? JSON.stringify(report, undefined, 2) : reportText(report)}\n`);
  return EXIT.stopped;
}

export function configReport(
  { handlers, commands, images, configs, fileVariables }: StartOptions,
  settings: SourcedSettings,
  cwd: string,
): ConfigReport {
  const fromFile = (source: string) => {
    const file = fileVariables.get(source)?.source;
    return file === undefined ? source : `${source} in ${file}`;
  };
  const service = Object.entries(settings).flatMap(
    ([key, { value, source }]: [string, Sourced<unknown>]) =>
      value === undefined && source === BY_DEFAULT
        ? []
        : [
            setting(
              key === "s3" ? "s3Port" : key,
              shownValue(key, value),
              fromFile(source),
              SECRET_SETTINGS.has(key),
            ),
          ],
  );
  return {
    service,
    ...Object.fromEntries(
      [...handlers, ...commands, ...images].map((each) => endpointReport(each, configs, cwd)),
    ),
    ...(Object.assign({}, ...configs.map(sharedReport)) as ConfigReport),
  };
}

/** The report as a table for each part. */
function reportText(report: ConfigReport): string {
  const rows = Object.values(report).flat();
  const width = Math.max(...rows.map(({ key }) => key.length));
  const values = Math.max(...rows.map((row) => inWords(row).length));
  return Object.entries(report)
    .map(([part, settings]) =>
      [
        part,
        ...settings.map(
          (row) => `  ${row.key.padEnd(width)}  ${inWords(row).padEnd(values)}  ${row.source}`,
        ),
      ].join("\n"),
    )
    .join("\n\n");
}

function endpointReport(
  served: LocalHandler | CommandEndpoint | ImageEndpoint,
  configs: readonly Config[],
  cwd: string,
): [string, readonly ReportedSetting[]] {
  const { id } = served;
  const config = configs.find(({ source }) => source.written.endpoints[id] !== undefined);
  const written = config?.source.written.endpoints[id] ?? {};
  const ofTarget = {
    ...("path" in served && { handler: shownPath(served.path, cwd) }),
    ...("cwd" in served && { cwd: shownPath(served.cwd, cwd) }),
  };
  const { networkVolumeId: _, networkVolumeIds: __, ...inForce } = localEndpoint(served, "");
  const rows = partReport(CONFIG_PARTS.endpoint, {
    written: { ...written },
    inForce: {
      ...inForce,
      ...ofTarget,
      ...(served.volume !== undefined && { volume: shownPath(served.volume, cwd) }),
    },
    sourceOf: (path) =>
      config === undefined ? TARGET : fileAt(config.source, ["endpoints", id, ...path]),
  });
  const ownSource = config === undefined ? new Set(["handler", "type"]) : new Set<string>();
  return [
    `endpoints.${id}`,
    rows.map((row) => (ownSource.has(row.key) ? { ...row, source: TARGET } : row)),
  ];
}

function sharedReport({ source }: Config): ConfigReport {
  const { templates = {}, networkVolumes = {}, containerRegistryAuths = {} } = source.written;
  const groups: readonly (readonly [string, z.ZodObject, Readonly<Record<string, Shared>>])[] = [
    ["templates", CONFIG_PARTS.template, templates],
    ["networkVolumes", CONFIG_PARTS.networkVolume, networkVolumes],
    ["containerRegistryAuths", CONFIG_PARTS.registryAuth, containerRegistryAuths],
  ];
  return Object.fromEntries(
    groups.flatMap(([group, part, things]) =>
      Object.entries(things).map(([key, written]) => [
        `${group}.${key}`,
        partReport(part, {
          written: { ...written },
          inForce: { name: written.name ?? key },
          sourceOf: (path) => fileAt(source, [group, key, ...path]),
        }),
      ]),
    ),
  );
}

/** A resource that endpoints share. Its name is by default its key. */
interface Shared {
  readonly name?: string;
}

interface Part {
  readonly written: Readonly<Record<string, unknown>>;
  /** Values that differ from the written ones or add to them. */
  readonly inForce: Readonly<Record<string, unknown>>;
  readonly sourceOf: (path: readonly string[]) => string;
}

function partReport(
  schema: z.ZodObject,
  { written, inForce, sourceOf }: Part,
): readonly ReportedSetting[] {
  return Object.entries(schema.shape).flatMap(([key, field]) => {
    const isWritten = written[key] !== undefined;
    if (key === "env") return envReport(written[key] ?? {}, sourceOf);
    const value = inForce[key] ?? written[key] ?? defaultOf(field);
    if (value === undefined) return [];
    const isSecret = CREDENTIALS.has(key);
    return [setting(key, value, isWritten ? sourceOf([key]) : BY_DEFAULT, isSecret)];
  });
}

function envReport(
  env: unknown,
  sourceOf: (path: readonly string[]) => string,
): readonly ReportedSetting[] {
  return Object.entries(env as Readonly<Record<string, unknown>>).map(([name, value]) => {
    const from = isFromEnv(value) ? `, from ${value.fromEnv}` : "";
    const isSecret = from !== "" || SECRET_NAME.test(name);
    return setting(`env.${name}`, value, sourceOf(["env", name]) + from, isSecret);
  });
}

function setting(key: string, value: unknown, source: string, isSecret = false): ReportedSetting {
  return isSecret ? { key, isSecret, source } : { key, value, source };
}

function shownValue(key: string, value: unknown): unknown {
  if (key === "dataDir") return value ?? "none: everything is in memory";
  if (key === "store" || key === "objects" || key === "advertise") return shownPlace(value);
  if (key !== "s3") return value;
  if (value === false) return "off";
  return typeof value === "object" && value !== null && "port" in value
    ? value.port
    : "the one above port";
}

/** An address without its secrets. */
function shownPlace(value: unknown): unknown {
  return typeof value === "string" ? shownAddress(value) : "none";
}

function defaultOf(field: unknown): unknown {
  const schema = field instanceof z.ZodExactOptional ? field.unwrap() : field;
  return schema instanceof z.ZodType ? schema.meta()?.["default"] : undefined;
}

function inWords({ value, isSecret }: ReportedSetting): string {
  if (isSecret === true) return "(secret)";
  return typeof value === "string" ? value : JSON.stringify(value);
}
