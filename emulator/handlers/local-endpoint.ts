/** Endpoints of this machine, made of the CLI's targets or `startEmulator`'s `handlers`, `commands`, `images` and `endpoints`. */
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

/** The settings of an endpoint that a caller may choose. The rest follows from the handler. */
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

/** Settings without a default: a name other than the id, preferences about machines, network volumes by their ids. */
type FreeSettings = PlacementPreferences & VolumeChoice & Partial<Pick<Endpoint, "name">>;

/** An endpoint of this machine with any kind of workers. */
export interface LocalEndpoint {
  /** Endpoint id: the last part of its address. */
  readonly id: string;
  /** Default: `QUEUE`. */
  readonly type?: EndpointType;
  /** Environment variables for its workers. */
  readonly env?: Readonly<Record<string, string>>;
  /** Source variables of secret values in `env`, by name. */
  readonly envSources?: Readonly<Record<string, string>>;
  /** A directory for files that outlive its workers (`SV_VOLUME_PATH`), absolute; made if it does not exist. */
  readonly volume?: string;
  readonly settings?: Partial<EndpointSettings> & FreeSettings;
}

/** An endpoint with workers of a container image. */
export interface ImageEndpoint extends Omit<LocalEndpoint, "env" | "envSources"> {
  /** Its own template, or the id of a shared one. */
  readonly template: ServedTemplate | string;
}

export interface LocalHandler extends LocalEndpoint {
  /** Absolute path of the handler module, or of the HTTP server of a load balancing endpoint. */
  readonly path: string;
}

/** An endpoint with processes of a command as workers: a program in any language that speaks the live protocol. */
export interface CommandEndpoint extends Omit<LocalEndpoint, "type"> {
  /** The program, found from `cwd` as by a shell, and its arguments. No shell reads them. */
  readonly command: readonly string[];
  /** The absolute path of its directory. */
  readonly cwd: string;
  /**
   * `own`: each worker runs in a directory of its own with links to the entries of `cwd`. The directory is removed with the worker.
   * `shared`: all workers run in `cwd`. Default: `own`.
   */
  readonly workingDirectory?: WorkingDirectory | undefined;
}

/** One worker from the start, so that the first call is quick; up to three under load. */
export const LOCAL_ENDPOINT_DEFAULTS: EndpointSettings = {
  scalerType: "QUEUE_DELAY",
  ...fileDefaultsOf(ENDPOINT_FIELDS),
};

/** Name of a handler in place of an image's. */
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

/** Category of the template that is made for these workers. */
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

/** Any endpoint of this machine: `path` is of a handler file, `template` of an image. A function of this process has neither. */
type AnyLocalEndpoint = LocalEndpoint &
  Partial<
    Pick<LocalHandler, "path"> &
      Pick<CommandEndpoint, "command" | "cwd" | "workingDirectory"> &
      Pick<ImageEndpoint, "template">
  >;

/** All served endpoints. @throws RangeError if two have the same id, or one has a reserved id */
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

/** The endpoints, each with its template. */
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

/** A GPU type or a number of GPUs implies an endpoint with GPUs. */
function computeTypeOf({
  settings = {},
}: Pick<LocalEndpoint, "settings">): Endpoint["computeType"] {
  const asksForGpus = settings.gpuTypeIds !== undefined || settings.gpuCount !== undefined;
  return settings.computeType ?? (asksForGpus ? "GPU" : LOCAL_ENDPOINT_DEFAULTS.computeType);
}
