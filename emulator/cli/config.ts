/** Reads a config: the endpoints of a project with their settings, and how its service is to be started. */
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { z } from "zod";
import { scalerProblem } from "../core/endpoint.ts";
import type { GpuSetting } from "../core/gpu-declaration.ts";
import { DEFAULT_RETRY_RULES } from "../core/job.ts";
import type { LimitMode } from "../core/rate-limit.ts";
import { nearMiss } from "../core/near-miss.ts";
import { valueInWords } from "../core/problem-words.ts";
import { LOCAL_ENDPOINT_DEFAULTS, type LocalHandler } from "../local-endpoint.ts";
import {
  configSchema,
  knownKeysAt,
  type WrittenConfig,
  type WrittenEndpoint,
} from "./config-schema.ts";
import { ENDPOINT_ID_RULE, isEndpointId } from "./endpoint-id.ts";
import type { DockerMode, S3_OFF } from "./settings.ts";
import { UsageError } from "./usage-error.ts";

/** A config with every path made absolute; relative ones are meant from the config's own directory. */
export interface Config {
  readonly file: string;
  /** By id. `path` is a handler module or a directory that has one. */
  readonly endpoints: Readonly<Record<string, Omit<LocalHandler, "id">>>;
  readonly server: ServerConfig;
}

/** How the service is to be started, where flags and environment do not say otherwise. */
export interface ServerConfig {
  readonly port?: number;
  readonly host?: string;
  readonly s3Port?: number | typeof S3_OFF;
  readonly dataDir?: string;
  readonly limits?: LimitMode;
  readonly gpus?: GpuSetting;
  readonly docker?: DockerMode;
}

/**
 * @param shown the file as messages name it
 * @throws UsageError that names every problem found
 */
export async function readConfig(file: string, shown: string): Promise<Config> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new UsageError(`${shown} cannot be read: ${messageOf(error)}`, { cause: error });
  });
  const { endpoints, dataDir, ...server } = check(parse(text, shown), shown);
  const directory = dirname(file);
  return {
    file,
    endpoints: Object.fromEntries(
      Object.entries(endpoints).map(([id, written]) => [id, handlerOf(written, directory)]),
    ),
    server: { ...server, ...(dataDir !== undefined && { dataDir: resolve(directory, dataDir) }) },
  };
}

function parse(text: string, shown: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${shown} is no JSON: ${messageOf(error)}`, { cause: error });
  }
}

function check(written: unknown, shown: string): WrittenConfig {
  const result = configSchema.safeParse(written);
  const problems = result.success
    ? problemsBetweenKeys(result.data, written)
    : // One wrong number can break several of its key's rules; all of them say the same sentence.
      [...new Set(result.error.issues.flatMap(sentencesOf))];
  if (result.success && problems.length === 0) return result.data;
  const [first] = problems;
  throw new UsageError(
    problems.length === 1
      ? `${shown}: ${first}`
      : [`${shown} has ${problems.length} problems:`, ...problems].join("\n  "),
  );
}

function sentencesOf(issue: z.core.$ZodIssue): readonly string[] {
  const where = issue.path.join(".") || "the config";
  if (issue.code === "invalid_union") {
    // Of the kinds that it might be, the one that it is as far as what is in it.
    const meant = issue.errors.find(([inner]) => inner !== undefined && inner.path.length > 0);
    const within = (inner: z.core.$ZodIssue) => ({
      ...inner,
      path: [...issue.path, ...inner.path],
    });
    if (meant !== undefined) return meant.flatMap((inner) => sentencesOf(within(inner)));
  }
  if (issue.code !== "unrecognized_keys") return [`${where} ${issue.message}`];
  const known = knownKeysAt(issue.path);
  return issue.keys.map((key) => {
    const near = nearMiss(key, known);
    const hint = near === undefined ? "" : `did you mean ${near}? `;
    return `${where} has the unknown key ${valueInWords(key)}; ${hint}known are ${known.join(", ")}`;
  });
}

/** What no key's own rule can see. */
function problemsBetweenKeys({ endpoints }: WrittenConfig, written: unknown): readonly string[] {
  // From what was written, for a parsed record has lost a key like __proto__.
  const ids = isRecord(written) && isRecord(written["endpoints"]) ? written["endpoints"] : {};
  if (Object.keys(ids).length === 0) return ["endpoints must name at least one endpoint"];
  const wrongIds = Object.keys(ids)
    .filter((id) => !isEndpointId(id))
    .map((id) => `endpoints has the key ${valueInWords(id)}; ids consist of ${ENDPOINT_ID_RULE}`);
  const wrongBounds = Object.entries(endpoints).flatMap(([id, endpoint]) => {
    const { workersMin, workersMax } = { ...LOCAL_ENDPOINT_DEFAULTS, ...endpoint };
    if (workersMin <= workersMax) return [];
    const sentence = `must be at most workersMax, which is ${workersMax}; it is ${workersMin}`;
    return [`endpoints.${id}.workersMin ${sentence}`];
  });
  const wrongScalers = Object.entries(endpoints).flatMap(([id, { type, scalerType }]) => {
    const problem = scalerProblem(type, scalerType);
    return problem === undefined ? [] : [`endpoints.${id}.scalerType ${problem}`];
  });
  return [...wrongIds, ...wrongBounds, ...wrongScalers];
}

function handlerOf(written: WrittenEndpoint, directory: string): Omit<LocalHandler, "id"> {
  const { handler, type, env, volume, retries, ...settings } = written;
  return {
    path: resolve(directory, handler),
    ...(type !== undefined && { type }),
    ...(env !== undefined && { env }),
    ...(volume !== undefined && { volume: resolve(directory, volume) }),
    settings: {
      ...settings,
      ...(retries !== undefined && { retries: { ...DEFAULT_RETRY_RULES, ...retries } }),
    },
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
