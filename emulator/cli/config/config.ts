/** Reads a config: the endpoints of a project, their shared resources, and the settings of the service. */
import { dirname, resolve } from "node:path";
import type { z } from "zod";
import type { ServedResources } from "../../core/resources/endpoints/served-endpoint.ts";
import { closestName } from "../../../runtime/protocol/did-you-mean.ts";
import { valueInWords } from "../../core/input/problem-messages.ts";
import type {
  CommandEndpoint,
  ImageEndpoint,
  LocalHandler,
} from "../../handlers/local-endpoint.ts";
import { configSchema, knownKeysAt, type WrittenConfig } from "./config-schema.ts";
import {
  type ConfigProblem,
  configRefusal,
  type ConfigText,
  readConfigText,
} from "./config-text.ts";
import { problemsBetweenKeys } from "./problems-between-keys.ts";
import { References } from "./references.ts";
import { resourcesOf, servedFrom } from "./resources.ts";
import type { Environment } from "../serve/setting-values.ts";

/** A config with absolute paths. Relative ones were resolved from the config's directory. */
export interface Config {
  readonly file: string;
  /** Endpoints with a handler, by id. `path` is a handler module or a directory with one. */
  readonly endpoints: Readonly<Record<string, Omit<LocalHandler, "id">>>;
  /** Endpoints of commands. */
  readonly commands: readonly CommandEndpoint[];
  /** Endpoints of container images. */
  readonly images: readonly ImageEndpoint[];
  readonly resources: ServedResources;
  readonly server: ServerConfig;
  /** The config as written, with its text for places. */
  readonly source: ConfigText & { readonly written: WrittenConfig };
}

/** Settings of the service. Flags and environment variables override them. */
export type ServerConfig = Omit<
  WrittenConfig,
  | "endpoints"
  | "templates"
  | "networkVolumes"
  | "containerRegistryAuths"
  | "$schema"
  | "store"
  | "objects"
> & { readonly store?: string; readonly objects?: string };

/**
 * @param shown the file as messages name it
 * @param environment the variables that references name
 * @throws UsageError that names every problem found, with its place
 */
export async function readConfig(
  file: string,
  shown: string,
  environment: Environment,
): Promise<Config> {
  const source = await readConfigText(file, shown);
  const written = check(source);
  const {
    endpoints: _endpoints,
    templates: _templates,
    networkVolumes: _networkVolumes,
    containerRegistryAuths: _containerRegistryAuths,
    $schema: _schema,
    store,
    objects,
    ...server
  } = written;
  const directory = dirname(file);
  const references = new References(environment);
  const resources = resourcesOf(written, references);
  const served = servedFrom(written, directory, references);
  const places = {
    ...(store !== undefined && { store: references.valueOf(store, ["store"]) }),
    ...(objects !== undefined && { objects: references.valueOf(objects, ["objects"]) }),
  };
  if (references.problems.length > 0) throw configRefusal(source, references.problems);
  return {
    file,
    ...served,
    resources,
    server: {
      ...server,
      ...places,
      ...Object.fromEntries(
        (["dataDir", "tlsCert", "tlsKey"] as const).flatMap((key) => {
          const path = server[key];
          return path === undefined ? [] : [[key, resolve(directory, path)]];
        }),
      ),
    },
    source: { ...source, written },
  };
}

function check(source: ConfigText): WrittenConfig {
  const result = configSchema.safeParse(source.written);
  const problems = result.success
    ? problemsBetweenKeys(result.data, source.written)
    : result.error.issues.flatMap(problemsOf);
  if (result.success && problems.length === 0) return result.data;
  throw configRefusal(source, problems);
}

function problemsOf(issue: z.core.$ZodIssue): readonly ConfigProblem[] {
  const { path } = issue;
  const where = path.join(".") || "the config";
  if (issue.code === "invalid_union") {
    // In a list the problem is that of an item. A value that may be a reference has one sentence for all forms.
    const meant = issue.errors.find(([inner]) => typeof inner?.path[0] === "number");
    const within = (inner: z.core.$ZodIssue) => ({ ...inner, path: [...path, ...inner.path] });
    if (meant !== undefined) return meant.flatMap((inner) => problemsOf(within(inner)));
  }
  if (issue.code !== "unrecognized_keys") return [{ path, sentence: `${where} ${issue.message}` }];
  const known = knownKeysAt(path);
  return issue.keys.map((key) => ({
    path: [...path, key],
    at: "key",
    sentence: `${where} has the unknown key ${valueInWords(key)}; ${hintFor(key, known)}known are ${known.join(", ")}`,
  }));
}

/** Keys of other places by what they are called here. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ["imageName", "image"],
  ["templateId", "template"],
  ["containerRegistryAuthId", "containerRegistryAuth"],
  ["networkVolumeId", "networkVolumes"],
  ["networkVolumeIds", "networkVolumes"],
  ["registryAuths", "containerRegistryAuths"],
]);

function hintFor(key: string, known: readonly string[]): string {
  if (key === "concurrency")
    return "it is an option of the handler (export const concurrency = 4); ";
  const meant = MEANT.get(key) ?? "";
  const near = known.includes(meant) ? meant : closestName(key, known);
  return near === undefined ? "" : `did you mean ${near}? `;
}
