/** Turns a checked config into the endpoints that the service serves, and the resources that they share. */
import { resolve } from "node:path";
import { DEFAULT_RETRY_RULES } from "../../core/jobs/job.ts";
import type {
  ServedResources,
  ServedTemplate,
} from "../../core/resources/endpoints/served-endpoint.ts";
import {
  categoryOf,
  type CommandEndpoint,
  type ImageEndpoint,
  type LocalHandler,
} from "../../handlers/local-endpoint.ts";
import { ENDPOINT_FIELDS } from "../../core/resources/endpoints/endpoint-fields.ts";
import { templateOf } from "../../core/resources/templates/template-fields.ts";
import { type WrittenConfig, type WrittenEndpoint } from "./config-schema.ts";
import { CONTAINER_KEYS, DEFAULT_DATA_CENTER } from "./resource-schema.ts";
import { keyedId } from "./resource-ids.ts";
import type { References } from "./references.ts";

interface ServedFrom {
  readonly endpoints: Readonly<Record<string, Omit<LocalHandler, "id">>>;
  readonly commands: readonly CommandEndpoint[];
  readonly images: readonly ImageEndpoint[];
}

/** @param directory the base of relative paths */
export function servedFrom(
  config: WrittenConfig,
  directory: string,
  references: References,
): ServedFrom {
  const endpoints: Record<string, Omit<LocalHandler, "id">> = {};
  const commands: CommandEndpoint[] = [];
  const images: ImageEndpoint[] = [];
  for (const [id, written] of Object.entries(config.endpoints)) {
    const {
      type,
      volume,
      handler,
      command,
      cwd = ".",
      workingDirectory,
      env: writtenEnv,
    } = written;
    const common = {
      ...(volume !== undefined && { volume: resolve(directory, volume) }),
      settings: settingsOf(written),
    };
    const typed = type === undefined ? {} : { type };
    const env = writtenEnv && references.envOf(writtenEnv, ["endpoints", id, "env"]);
    if (handler !== undefined) {
      endpoints[id] = { path: resolve(directory, handler), ...env, ...typed, ...common };
    } else if (command !== undefined) {
      const place = { cwd: resolve(directory, cwd), workingDirectory };
      commands.push({ id, command, ...place, ...env, ...common });
    } else {
      images.push({ id, ...typed, ...common, template: templateFor(id, written, env) });
    }
  }
  return { endpoints, commands, images };
}

export function resourcesOf(config: WrittenConfig, references: References): ServedResources {
  const { networkVolumes = {}, containerRegistryAuths = {}, templates = {} } = config;
  return {
    networkVolumes: Object.entries(networkVolumes).map(
      ([key, { size, name = key, dataCenterId = DEFAULT_DATA_CENTER }]) => ({
        id: keyedId("networkVolume", key),
        name,
        size,
        dataCenterId,
      }),
    ),
    registryAuths: Object.entries(containerRegistryAuths).map(
      ([key, { name = key, username, password }]) => ({
        id: keyedId("registryAuth", key),
        name,
        username: references.valueOf(username, ["containerRegistryAuths", key, "username"]),
        password: references.valueOf(password, ["containerRegistryAuths", key, "password"]),
      }),
    ),
    templates: Object.entries(templates).map(([key, { env, containerRegistryAuth, ...given }]) => {
      const { env: values = {}, envSources } = env
        ? references.envOf(env, ["templates", key, "env"])
        : {};
      const template = templateOf({
        name: key,
        ...given,
        ...authOf(containerRegistryAuth),
        id: keyedId("template", key),
        env: values,
      });
      return { template, ...(envSources && { envSources }) };
    }),
  };
}

function templateFor(
  id: string,
  written: WrittenEndpoint,
  env: ReturnType<References["envOf"]> | undefined,
): ServedTemplate | string {
  if (written.template !== undefined) return keyedId("template", written.template);
  const container = Object.entries(written).filter(
    ([key]) => key !== "containerRegistryAuth" && CONTAINER_KEYS.some((each) => each === key),
  );
  const template = templateOf({
    id,
    imageName: written.image ?? "",
    category: categoryOf({ settings: settingsOf(written) }),
    env: env?.env ?? {},
    ...authOf(written.containerRegistryAuth),
    ...Object.fromEntries(container),
  });
  return { template, ...(env?.envSources && { envSources: env.envSources }) };
}

function authOf(key: string | undefined): { readonly containerRegistryAuthId?: string } {
  return key === undefined ? {} : { containerRegistryAuthId: keyedId("registryAuth", key) };
}

/** The settings of the endpoint, without its template and its type. */
function settingsOf(written: WrittenEndpoint): NonNullable<LocalHandler["settings"]> {
  const { networkVolumes = [], retries } = written;
  const settings = Object.entries(written).filter(
    ([key]) => key !== "type" && Object.hasOwn(ENDPOINT_FIELDS, key),
  );
  const volumeIds = networkVolumes.map((key) => keyedId("networkVolume", key));
  return {
    ...Object.fromEntries(settings),
    ...(retries !== undefined && { retries: { ...DEFAULT_RETRY_RULES, ...retries } }),
    ...(volumeIds.length === 1 && { networkVolumeId: volumeIds[0] }),
    ...(volumeIds.length > 1 && { networkVolumeIds: volumeIds }),
  };
}
