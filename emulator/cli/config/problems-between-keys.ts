/** Finds problems of a config that concern several keys. */
import { scalerProblem } from "../../core/resources/endpoints/endpoint.ts";
import { valueInWords } from "../../core/input/problem-messages.ts";
import { isReservedId, reservedBecause } from "../../core/resources/endpoints/reserved-ids.ts";
import { volumeProblem } from "../../core/resources/templates/template-input.ts";
import { LOCAL_ENDPOINT_DEFAULTS } from "../../handlers/local-endpoint.ts";
import { type WrittenConfig, type WrittenEndpoint } from "./config-schema.ts";
import { CONTAINER_KEYS } from "./resource-schema.ts";
import { ENDPOINT_ID_RULE, isEndpointId } from "../serve/endpoint-id.ts";
import type { ConfigProblem } from "./config-text.ts";
import { said } from "./fields.ts";

const MAKERS = ["handler", "command", "image", "template"] as const;

/** @param written the config before parsing, which loses a key like __proto__ */
export function problemsBetweenKeys(
  config: WrittenConfig,
  written: unknown,
): readonly ConfigProblem[] {
  const ids = isRecord(written) && isRecord(written["endpoints"]) ? written["endpoints"] : {};
  if (Object.keys(ids).length === 0)
    return [{ path: ["endpoints"], sentence: "endpoints must name at least one endpoint" }];
  const wrongIds = Object.keys(ids)
    .filter((id) => !isEndpointId(id))
    .map((id): ConfigProblem => {
      const sentence = `endpoints has the key ${valueInWords(id)}; ids consist of ${ENDPOINT_ID_RULE}`;
      return { path: ["endpoints", id], at: "key", sentence };
    });
  const reservedIds = Object.keys(ids)
    .filter(isReservedId)
    .map((id): ConfigProblem => {
      const sentence = `endpoints has the key ${valueInWords(id)}, an id that is reserved: ${reservedBecause(id)}`;
      return { path: ["endpoints", id], at: "key", sentence };
    });
  const ofEndpoints = Object.entries(config.endpoints).flatMap(([id, endpoint]) =>
    [...endpointProblems(endpoint), ...referenceProblems(config, endpoint)].map((problem) =>
      below(["endpoints", id], problem),
    ),
  );
  return [
    ...wrongIds,
    ...reservedIds,
    ...ofEndpoints,
    ...templateProblems(config),
    ...nameProblems(config),
  ];
}

/** A problem of a part. Its path and its sentence begin at the part. */
type PartProblem = readonly [key: string, predicate: string, item?: number | undefined];

function below(path: readonly string[], [key, predicate, item]: PartProblem): ConfigProblem {
  const full = [...path, ...(key === "" ? [] : [key]), ...(item === undefined ? [] : [item])];
  return { path: full, sentence: `${full.join(".")} ${predicate}` };
}

function* endpointProblems(endpoint: WrittenEndpoint): Iterable<PartProblem> {
  const makers = MAKERS.filter((maker) => endpoint[maker] !== undefined);
  const [first = "", second = ""] = makers;
  if (makers.length === 0)
    yield ["", "must have one of handler, command, image and template; it has none"];
  if (makers.length > 1) yield [second, `cannot stand beside ${first}; leave out one`];
  for (const key of ["cwd", "workingDirectory"] as const) {
    if (endpoint[key] !== undefined && endpoint.command === undefined)
      yield [key, "is for an endpoint with a command"];
  }
  if (endpoint.command !== undefined && endpoint.type === "LOAD_BALANCING")
    yield ["type", "cannot be LOAD_BALANCING beside command, whose workers take jobs"];
  if (endpoint.image === undefined) {
    for (const key of CONTAINER_KEYS.filter((each) => endpoint[each] !== undefined))
      yield [key, "is for an endpoint with an image; write it there, or in the template"];
  }
  if (endpoint.template !== undefined && endpoint.env !== undefined)
    yield ["env", "cannot stand beside template: the variables are those of the template"];
  const { workersMin, workersMax } = { ...LOCAL_ENDPOINT_DEFAULTS, ...endpoint };
  if (workersMin > workersMax)
    yield ["workersMin", `must be at most workersMax, which is ${workersMax}; it is ${workersMin}`];
  const problem = scalerProblem(endpoint.type, endpoint.scalerType);
  if (problem !== undefined) yield ["scalerType", problem];
}

function* referenceProblems(
  config: WrittenConfig,
  { template, networkVolumes = [], containerRegistryAuth }: WrittenEndpoint,
): Iterable<PartProblem> {
  if (template !== undefined) {
    yield* missing("template", "templates", config.templates, template);
    if (config.templates?.[template]?.isServerless === false)
      yield ["template", `names ${template}, whose isServerless is false: it is one for pods`];
  }
  for (const [item, key] of networkVolumes.entries())
    yield* missing("networkVolumes", "networkVolumes", config.networkVolumes, key, item);
  if (containerRegistryAuth !== undefined) yield* missingAuth(config, containerRegistryAuth);
}

function missingAuth(config: WrittenConfig, key: string): Iterable<PartProblem> {
  const group = "containerRegistryAuths";
  return missing("containerRegistryAuth", group, config.containerRegistryAuths, key);
}

function* missing(
  at: string,
  group: string,
  there: Readonly<Record<string, unknown>> = {},
  key: string,
  item?: number,
): Iterable<PartProblem> {
  const known = Object.keys(there);
  if (known.includes(key)) return;
  const all = known.length === 0 ? "there are none" : `there are ${known.join(", ")}`;
  yield [at, `must name one of the ${group} of this config; ${all}; got ${said(key, known)}`, item];
}

function templateProblems(config: WrittenConfig): readonly ConfigProblem[] {
  return Object.entries(config.templates ?? {}).flatMap(([key, template]) => {
    const { isServerless = true, volumeInGb = 0, containerRegistryAuth } = template;
    const problem = volumeProblem({ isServerless, volumeInGb });
    const found: PartProblem[] = problem === undefined ? [] : [["volumeInGb", problem]];
    if (containerRegistryAuth !== undefined)
      found.push(...missingAuth(config, containerRegistryAuth));
    return found.map((each) => below(["templates", key], each));
  });
}

/** Names of templates and of registry auths are unique (spec), also among the templates made for endpoints. */
function nameProblems(config: WrittenConfig): readonly ConfigProblem[] {
  const { endpoints, templates = {}, containerRegistryAuths = {} } = config;
  const own = Object.entries(endpoints).filter(([, { template }]) => template === undefined);
  const taken = new Map(own.map(([id]) => [id, `the template of endpoints.${id}`]));
  return [
    ...doubles("templates", templates, taken),
    ...doubles("containerRegistryAuths", containerRegistryAuths, new Map()),
  ];
}

function* doubles(
  group: string,
  things: Readonly<Record<string, { readonly name?: string }>>,
  taken: Map<string, string>,
): Iterable<ConfigProblem> {
  for (const [key, { name = key }] of Object.entries(things)) {
    const other = taken.get(name);
    const path = [group, key, "name"];
    if (other !== undefined)
      yield { path, sentence: `${group}.${key} has the name ${name}, which ${other} has already` };
    taken.set(name, `${group}.${key}`);
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
