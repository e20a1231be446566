/** An endpoint served from this machine: what the CLI's targets and `startEmulator`'s `handlers`, `commands`, `images` and `endpoints` become. */
import {
  defaultScalerType,
  type Endpoint,
  type EndpointType,
  type PlacementPreferences,
} from "../core/resources/endpoints/endpoint.ts";
import { ENDPOINT_FIELDS } from "../core/resources/endpoints/endpoint-fields.ts";
import { fileDefaultsOf } from "../core/resources/fields.ts";
import type { VolumeChoice } from "../core/resources/network-volumes/network-volume.ts";
import type {
  ServedEndpoint,
  ServedTemplate,
  WorkingDirectory,
} from "../core/resources/endpoints/served-endpoint.ts";
import { isReservedId, reservedBecause } from "../core/resources/endpoints/reserved-ids.ts";
import { templateOf } from "../core/resources/templates/template-fields.ts";
import { LOCAL_IMAGE_PREFIX, type Template } from "../core/resources/templates/template.ts";

/** The settings of an endpoint a caller may choose; the rest follows from the handler. */
export type EndpointSettings = Omit<
  Endpoint,
  | "id"
  | "name"
  | "templateId"
  | "type"
  | "version"
  | "createdAt"
  | keyof PlacementPreferences
  | keyof VolumeChoice
>;

/** Those without a default: a name other than the id, preferences about machines, network volumes by their ids. */
type FreeSettings = PlacementPreferences & VolumeChoice & Partial<Pick<Endpoint, "name">>;

/** What an endpoint of this machine has, whatever its workers run. */
export interface LocalEndpoint {
  /** Endpoint id: the last part of its address. */
  readonly id: string;
  /** Default: `QUEUE`. */
  readonly type?: EndpointType;
  /** Environment variables for its workers. */
  readonly env?: Readonly<Record<string, string>>;
  /** Of variables in `env` whose values are secrets, by name: the variable each value was taken from. */
  readonly envSources?: Readonly<Record<string, string>>;
  /** A directory for files that outlive its workers (`SV_VOLUME_PATH`), absolute; made if it does not exist. */
  readonly volume?: string;
  readonly settings?: Partial<EndpointSettings> & FreeSettings;
}

/** An endpoint whose workers are made of an image. */
export interface ImageEndpoint extends Omit<LocalEndpoint, "env" | "envSources"> {
  /** Its own template, or the id of one that stands by itself. */
  readonly template: ServedTemplate | string;
}

export interface LocalHandler extends LocalEndpoint {
  /** Path of the handler module, absolute; of a load balancing endpoint that of a program which is an HTTP server. */
  readonly path: string;
}

/** An endpoint whose workers are processes of a command: a program in any language that speaks the live protocol. */
export interface CommandEndpoint extends Omit<LocalEndpoint, "type"> {
  /** The program, as a shell would find it from `cwd`, and its arguments; no shell reads them. */
  readonly command: readonly string[];
  /** The directory it is served from, absolute. */
  readonly cwd: string;
  /**
   * `own`: each worker runs in a directory of its own, with links to all that is in `cwd` when it starts; what it makes
   * there goes when it ends. `shared`: all run in `cwd`. Default: `own`.
   */
  readonly workingDirectory?: WorkingDirectory | undefined;
}

/** One worker from the start, so that the first call of a session at home is quick; up to three under load. */
export const LOCAL_ENDPOINT_DEFAULTS: EndpointSettings = {
  scalerType: "QUEUE_DELAY",
  ...fileDefaultsOf(ENDPOINT_FIELDS),
};

/** Names the handler in the place of an image. */
export function localImage({ id }: Pick<LocalEndpoint, "id">): string {
  return `${LOCAL_IMAGE_PREFIX}${id}`;
}

export function localTemplate(handler: LocalEndpoint): Template {
  return templateOf({
    id: handler.id,
    imageName: localImage(handler),
    category: categoryOf(handler),
    env: handler.env ?? {},
  });
}

/** What the template of an endpoint made for these workers is shown under. */
export function categoryOf(handler: Pick<LocalEndpoint, "settings">): Template["category"] {
  return computeTypeOf(handler) === "GPU" ? "NVIDIA" : "CPU";
}

export function localEndpoint(
  handler: LocalEndpoint,
  createdAt: string,
  templateId = handler.id,
): Endpoint {
  return {
    id: handler.id,
    name: handler.id,
    templateId,
    ...LOCAL_ENDPOINT_DEFAULTS,
    type: handler.type ?? "QUEUE",
    scalerType: defaultScalerType(handler.type),
    ...handler.settings,
    computeType: computeTypeOf(handler),
    version: 1,
    createdAt,
  };
}

/** Any of them: `path` is a handler file's, `template` an image's; a function of this process has none of these. */
type AnyLocalEndpoint = LocalEndpoint &
  Partial<
    Pick<LocalHandler, "path"> &
      Pick<CommandEndpoint, "command" | "cwd" | "workingDirectory"> &
      Pick<ImageEndpoint, "template">
  >;

/** All that are served, under ids of their own. @throws RangeError when two have one id, or one an id that is reserved */
export function localEndpoints({
  handlers = [],
  commands = [],
  images = [],
  endpoints = {},
}: {
  readonly handlers?: readonly LocalHandler[];
  readonly commands?: readonly CommandEndpoint[];
  readonly images?: readonly ImageEndpoint[];
  readonly endpoints?: Readonly<Record<string, Omit<LocalEndpoint, "id">>>;
}): readonly AnyLocalEndpoint[] {
  const functions = Object.entries(endpoints).map(([id, rest]) => ({ ...rest, id }));
  const all = [...handlers, ...commands, ...images, ...functions];
  const ids = all.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) < index);
  if (twice !== undefined)
    throw new RangeError(
      `two of the handlers, commands, images and endpoints have the id "${twice}"`,
    );
  const reserved = ids.find(isReservedId);
  if (reserved !== undefined) {
    throw new RangeError(
      `no endpoint can have the id "${reserved}", which is reserved: ${reservedBecause(reserved)}`,
    );
  }
  return all;
}

/** Each with its template. */
export function servedEndpoints(
  endpoints: readonly AnyLocalEndpoint[],
  createdAt: string,
): readonly ServedEndpoint[] {
  return endpoints.map((endpoint) => servedEndpoint(endpoint, createdAt));
}

function servedEndpoint(local: AnyLocalEndpoint, createdAt: string): ServedEndpoint {
  const { path: handlerPath, command, cwd, volume: volumePath, envSources, template } = local;
  if (typeof template === "string")
    return { endpoint: localEndpoint(local, createdAt, template), volumePath };
  const endpoint = localEndpoint(local, createdAt);
  if (template !== undefined) return { ...template, endpoint, volumePath };
  const { workingDirectory } = local;
  const origin = { handlerPath, command, cwd, workingDirectory, volumePath, envSources };
  return { template: localTemplate(local), endpoint, ...origin };
}

/** Whoever asks for GPUs of a type or a number means an endpoint with GPUs. */
function computeTypeOf({
  settings = {},
}: Pick<LocalEndpoint, "settings">): Endpoint["computeType"] {
  const asksForGpus = settings.gpuTypeIds !== undefined || settings.gpuCount !== undefined;
  return settings.computeType ?? (asksForGpus ? "GPU" : LOCAL_ENDPOINT_DEFAULTS.computeType);
}
