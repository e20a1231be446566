/** An endpoint served from this machine: what the CLI's targets and `startEmulator`'s `handlers` and `endpoints` become. */
import { defaultScalerType, type Endpoint, type EndpointType } from "./core/endpoint.ts";
import { DEFAULT_RETRY_RULES } from "./core/job.ts";
import type { ServedEndpoint } from "./core/served-endpoint.ts";
import { LOCAL_IMAGE_PREFIX, type Template } from "./core/template.ts";
import { LIMITS } from "../runtime/protocol/limits.ts";

/** The settings of an endpoint a caller may choose; the rest follows from the handler. */
export type EndpointSettings = Pick<
  Endpoint,
  | "workersMin"
  | "workersMax"
  | "idleTimeout"
  | "scalerType"
  | "scalerValue"
  | "executionTimeoutMs"
  | "retries"
  | "requestsPerWorker"
  | "computeType"
  | "gpuTypeIds"
  | "gpuCount"
>;

/** What an endpoint of this machine has, whatever its workers run. */
export interface LocalEndpoint {
  /** Endpoint id: the last part of its address. */
  readonly id: string;
  /** Default: `QUEUE`. */
  readonly type?: EndpointType;
  /** Environment variables for its workers. */
  readonly env?: Readonly<Record<string, string>>;
  /** A directory for files that outlive its workers (`SV_VOLUME_PATH`), absolute; made if it does not exist. */
  readonly volume?: string;
  readonly settings?: Partial<EndpointSettings>;
}

export interface LocalHandler extends LocalEndpoint {
  /** Path of the handler module, absolute; of a load balancing endpoint that of a program which is an HTTP server. */
  readonly path: string;
}

/** One worker from the start, so that the first call of a session at home is quick; up to three under load. */
export const LOCAL_ENDPOINT_DEFAULTS: EndpointSettings = {
  workersMin: 1,
  workersMax: 3,
  idleTimeout: 5,
  scalerType: "QUEUE_DELAY",
  scalerValue: 4,
  executionTimeoutMs: LIMITS.executionTimeoutDefaultMs,
  retries: DEFAULT_RETRY_RULES,
  requestsPerWorker: LIMITS.requestsPerWorkerDefault,
  computeType: "CPU",
  gpuTypeIds: [],
  gpuCount: 1,
};

/** Names the handler in the place of an image. */
export function localImage({ id }: Pick<LocalEndpoint, "id">): string {
  return `${LOCAL_IMAGE_PREFIX}${id}`;
}

export function localTemplate(handler: LocalEndpoint): Template {
  return {
    id: handler.id,
    name: handler.id,
    imageName: localImage(handler),
    category: computeTypeOf(handler) === "GPU" ? "NVIDIA" : "CPU",
    containerDiskInGb: 50,
    dockerEntrypoint: [],
    dockerStartCmd: [],
    env: handler.env ?? {},
    isPublic: false,
    isPlatform: false,
    isServerless: true,
    ports: [],
    readme: "",
    volumeInGb: 0,
    volumeMountPath: "/workspace",
    earned: 0,
    runtimeInMin: 0,
  };
}

export function localEndpoint(handler: LocalEndpoint, createdAt: string): Endpoint {
  return {
    id: handler.id,
    name: handler.id,
    templateId: handler.id,
    type: handler.type ?? "QUEUE",
    ...LOCAL_ENDPOINT_DEFAULTS,
    scalerType: defaultScalerType(handler.type),
    ...handler.settings,
    computeType: computeTypeOf(handler),
    version: 1,
    createdAt,
  };
}

/** All that are served, under ids of their own. @throws RangeError when two have one id */
export function localEndpoints({
  handlers = [],
  endpoints = {},
}: {
  readonly handlers?: readonly LocalHandler[];
  readonly endpoints?: Readonly<Record<string, Omit<LocalEndpoint, "id">>>;
}): readonly LocalEndpoint[] {
  const twice = handlers.find(({ id }) => Object.hasOwn(endpoints, id));
  if (twice !== undefined) throw new RangeError(`both handlers and endpoints have "${twice.id}"`);
  return [...handlers, ...Object.entries(endpoints).map(([id, rest]) => ({ ...rest, id }))];
}

/** The endpoint with its template. */
export function servedEndpoint(handler: LocalEndpoint, createdAt: string): ServedEndpoint {
  return { template: localTemplate(handler), endpoint: localEndpoint(handler, createdAt) };
}

/** Whoever asks for GPUs of a type or a number means an endpoint with GPUs. */
function computeTypeOf({ settings = {} }: LocalEndpoint): Endpoint["computeType"] {
  const asksForGpus = settings.gpuTypeIds !== undefined || settings.gpuCount !== undefined;
  return settings.computeType ?? (asksForGpus ? "GPU" : LOCAL_ENDPOINT_DEFAULTS.computeType);
}
