/** Turns the resources of an emulator into a config that serves the same. Pure. */
import { relative, sep } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Answers } from "../../../runtime/protocol/generated/answers.ts";
import { changedFields } from "../../core/input/changed-fields.ts";
import type { Endpoint } from "../../core/resources/endpoints/endpoint.ts";
import { isEndpointBound, type Template } from "../../core/resources/templates/template.ts";
import { templateOf } from "../../core/resources/templates/template-fields.ts";
import { categoryOf } from "../../handlers/local-endpoint.ts";
import {
  type ConfigInput,
  type WrittenEndpoint,
  type WrittenTemplate,
} from "../config/config-schema.ts";
import { CONTAINER_KEYS, DEFAULT_DATA_CENTER } from "../config/resource-schema.ts";
import { keyedId } from "../config/resource-ids.ts";
import { settingsWritten } from "./endpoint-settings.ts";

/** The resources of an emulator that a config can contain, as its interface answers them. */
export interface ExportedResources {
  readonly endpoints: readonly Endpoint[];
  readonly templates: readonly Template[];
  readonly networkVolumes: Answers["listNetworkVolumes"];
  readonly registryAuths: Answers["listRegistryAuths"];
  readonly origins: Answers["readOrigins"];
}

export interface ExportedConfig {
  readonly config: ConfigInput;
  /** Sentences about settings that a config cannot express. */
  readonly losses: readonly string[];
}

/** @param directory the directory of the config, from which paths are relative */
export function configOf(resources: ExportedResources, directory: string): ExportedConfig {
  const { networkVolumes, registryAuths } = resources;
  const writer = new Writer(resources, directory);
  const endpoints = writer.endpoints();
  const templates = writer.templates();
  const config: ConfigInput = {
    endpoints,
    ...unlessEmpty("templates", templates),
    ...unlessEmpty(
      "networkVolumes",
      keyed("networkVolume", networkVolumes, ({ size, dataCenterId }) => ({
        size,
        ...(dataCenterId !== DEFAULT_DATA_CENTER && { dataCenterId }),
      })),
    ),
    ...unlessEmpty(
      "containerRegistryAuths",
      keyed("registryAuth", registryAuths, ({ name }) => ({
        username: { fromEnv: `${variableName(name)}_USERNAME` },
        password: { fromEnv: `${variableName(name)}_PASSWORD` },
      })),
    ),
  };
  return { config, losses: writer.losses };
}

type Entry = [string, unknown];

class Writer {
  readonly losses: string[] = [];
  readonly #resources: ExportedResources;
  readonly #directory: string;

  constructor(resources: ExportedResources, directory: string) {
    this.#resources = resources;
    this.#directory = directory;
  }

  endpoints(): Record<string, WrittenEndpoint> {
    const written: Record<string, WrittenEndpoint> = {};
    for (const endpoint of this.#resources.endpoints) {
      const { id, templateId } = endpoint;
      const template = this.#resources.templates.find((each) => each.id === templateId);
      const maker = template && this.#maker(id, template);
      if (maker === undefined) {
        this.losses.push(
          `the endpoint ${id} is left out: it is not known which handler file or command it is served from`,
        );
        continue;
      }
      const volume = this.#origin(id)?.volumePath;
      written[id] = {
        ...maker,
        ...settingsWritten(endpoint, (volumeId) => this.#keyOf("networkVolumes", volumeId)),
        ...(volume !== undefined && { volume: this.#shown(volume) }),
      };
      if (template !== undefined && maker.template === undefined)
        this.#noteLosses(id, template, written[id]);
    }
    return written;
  }

  /** The templates that are not made for one endpoint. */
  templates(): Record<string, WrittenTemplate> {
    const own = new Set(this.#resources.endpoints.map(({ id }) => id));
    const shared = this.#resources.templates.filter(
      (template) => !isEndpointBound(template) && !own.has(template.id),
    );
    return keyed("template", shared, (template) => {
      const { id, name, imageName, env, containerRegistryAuthId } = template;
      // The fields that are not written separately below.
      const plain = templateOf({ id, name, imageName, env, containerRegistryAuthId });
      const fields = changedFields(plain, template).map((field): Entry => [field, template[field]]);
      return {
        imageName,
        ...this.#env(template),
        ...this.#auth(template),
        ...Object.fromEntries(fields),
      };
    });
  }

  #maker(id: string, template: Template): WrittenEndpoint | undefined {
    if (isEndpointBound(template)) {
      const local = template.id === id ? this.#localMaker(id) : undefined;
      return local && { ...local, ...this.#env(template) };
    }
    if (template.id !== id) return { template: this.#keyOf("templates", template.id) };
    const { imageName } = template;
    const defaults = templateOf({ id, imageName });
    const container = CONTAINER_KEYS.flatMap((key): Entry[] =>
      key === "containerRegistryAuth" || isDeepStrictEqual(template[key], defaults[key])
        ? []
        : [[key, template[key]]],
    );
    return {
      image: imageName,
      ...this.#env(template),
      ...this.#auth(template),
      ...Object.fromEntries(container),
    };
  }

  /** The handler or command of an endpoint with processes of this machine as workers. */
  #localMaker(id: string): WrittenEndpoint | undefined {
    const { handlerPath, command, cwd, workingDirectory } = this.#origin(id) ?? {};
    if (handlerPath !== undefined) return { handler: this.#shown(handlerPath) };
    if (command === undefined || cwd === undefined) return undefined;
    const isHere = relative(this.#directory, cwd) === "";
    return {
      command: [...command],
      ...(!isHere && { cwd: this.#shown(cwd) }),
      ...(workingDirectory === "shared" && { workingDirectory }),
    };
  }

  /** A template made for an endpoint may have changes that a config cannot express. */
  #noteLosses(id: string, template: Template, written: WrittenEndpoint): void {
    const { gpuTypeIds, gpuCount, computeType } = written;
    const settings = {
      ...(gpuTypeIds && { gpuTypeIds }),
      ...(gpuCount !== undefined && { gpuCount }),
      ...(computeType && { computeType }),
    };
    const said: readonly string[] =
      written.image !== undefined ? [...CONTAINER_KEYS, "containerRegistryAuthId"] : [];
    const plain = templateOf({
      id,
      imageName: template.imageName,
      category: categoryOf({ settings }),
    });
    const lost = changedFields(plain, templateOf(template)).filter(
      (field) => field !== "env" && !said.includes(field),
    );
    if (lost.length > 0)
      this.losses.push(
        `a config cannot express these fields of the template of the endpoint ${id}: ${lost.join(", ")}`,
      );
  }

  /** The variables, with references for secrets. */
  #env({ id, env }: Template): Pick<WrittenEndpoint, "env"> {
    const sources = this.#resources.origins.templates.find((each) => each.id === id)?.envSources;
    const entries = Object.entries(env).map(([name, value]) => {
      const fromEnv = sources?.[name];
      return [name, fromEnv === undefined ? value : { fromEnv }] as const;
    });
    return entries.length === 0 ? {} : { env: Object.fromEntries(entries) };
  }

  #auth({ containerRegistryAuthId: id }: Template): Pick<WrittenEndpoint, "containerRegistryAuth"> {
    return id === undefined ? {} : { containerRegistryAuth: this.#keyOf("registryAuths", id) };
  }

  #keyOf(group: "templates" | "networkVolumes" | "registryAuths", id: string): string {
    const kinds = {
      templates: "template",
      networkVolumes: "networkVolume",
      registryAuths: "registryAuth",
    } as const;
    const thing = this.#resources[group].find((each) => each.id === id);
    return thing === undefined ? id : keyFor(kinds[group], thing);
  }

  #origin(id: string) {
    return this.#resources.origins.endpoints.find((each) => each.id === id);
  }

  #shown(path: string): string {
    const seen = relative(this.#directory, path).split(sep).join("/") || ".";
    return seen.startsWith(".") ? seen : `./${seen}`;
  }
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** The name if the id was made from it, else the id. */
function keyFor(kind: Parameters<typeof keyedId>[0], { id, name }: Named): string {
  return keyedId(kind, name) === id ? name : id;
}

function keyed<Thing extends Named, Written extends object>(
  kind: Parameters<typeof keyedId>[0],
  things: readonly Thing[],
  write: (thing: Thing) => Written,
): Record<string, Written & { name?: string }> {
  return Object.fromEntries(
    things.map((thing) => {
      const key = keyFor(kind, thing);
      const name = key === thing.name ? {} : { name: thing.name };
      return [key, { ...write(thing), ...name }];
    }),
  );
}

function unlessEmpty<const Key extends string, Things extends object>(
  key: Key,
  things: Things,
): { readonly [K in Key]?: Things } {
  return (Object.keys(things).length === 0 ? {} : { [key]: things }) as { [K in Key]?: Things };
}

/** For example `GHCR_IO_MY_TEAM`. */
function variableName(name: string): string {
  const words = name
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/gu, "_")
    .replaceAll(/^_|_$/gu, "");
  return /^[A-Z]/u.test(words) ? words : `REGISTRY_${words}`;
}
