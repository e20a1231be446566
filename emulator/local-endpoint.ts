/** An endpoint served from a handler file on this machine: what the CLI's targets and `startEmulator`'s `handlers` become. */
import type { Endpoint } from "./core/endpoint.ts";
import { DEFAULT_RETRY_RULES } from "./core/job.ts";
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
>;

export interface LocalHandler {
  /** Endpoint id: the last part of its address. */
  readonly id: string;
  /** Path of the handler module, absolute. */
  readonly path: string;
  /** Environment variables for its workers. */
  readonly env?: Readonly<Record<string, string>>;
  readonly settings?: Partial<EndpointSettings>;
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
};

export function localTemplate(handler: LocalHandler): Template {
  return {
    id: handler.id,
    name: handler.id,
    imageName: `${LOCAL_IMAGE_PREFIX}${handler.id}`,
    category: "CPU",
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

export function localEndpoint(handler: LocalHandler, createdAt: string): Endpoint {
  return {
    id: handler.id,
    name: handler.id,
    templateId: handler.id,
    computeType: "CPU",
    gpuTypeIds: [],
    gpuCount: 1,
    ...LOCAL_ENDPOINT_DEFAULTS,
    ...handler.settings,
    version: 1,
    createdAt,
  };
}
