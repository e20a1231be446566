/** The environment variables by which images and programs of the live service find their jobs. Pure. */
import { LIVE_STORAGE_ENV, STORAGE_ENV } from "../../runtime/protocol/storage-env.ts";
import { volumesOf } from "../core/resources/network-volume.ts";
import type { WorkerOrder } from "./launcher.ts";
import { livePlace, type LivePlace } from "./live-location.ts";

/** How a worker reaches the service by the live protocol. */
export interface LiveService {
  /** For example `http://172.17.0.1:7080`, as the worker sees it. */
  readonly url: string;
  /** How often the worker is to say which jobs it has, ms. */
  readonly pingIntervalMs: number;
  /** Processors that the worker may use. */
  readonly cpuCount: number;
  /** Most memory that it may use; absent for all there is. */
  readonly memoryBytes?: number | undefined;
}

/** What a worker may use at most; undefined where nobody knows. */
export type LiveBounds = Pick<LivePlace, "cpuCount" | "memoryBytes">;

type Variables = Readonly<Record<string, string>>;

export interface LiveEnvironment {
  /** A template may set these itself. */
  readonly settings: Variables;
  /** Who the worker is and where its service is: no template may set these. */
  readonly identity: Variables;
}

/** Workers divide by it and round down; they would ask without a pause below. */
const PING_INTERVAL_MIN_MS = 1_000;

/**
 * The names are the live service's own; those that nothing here corresponds to are left out.
 *
 * @param extra our own variables: the bucket among them is told by the live names too
 */
export function liveEnvironment(
  order: WorkerOrder,
  service: LiveService,
  extra: Variables = {},
): LiveEnvironment {
  return {
    settings: { ...habitsOf(service), ...placeOf(order, service), ...bucketOf(order, extra) },
    identity: { ...addressesOf(order, service), ...identityOf(order) },
  };
}

/** The same for the server that a worker of a load balancing endpoint is: it takes no jobs, so it has no addresses and no key. */
export function liveServerEnvironment(
  order: WorkerOrder,
  bounds: LiveBounds,
  extra: Variables = {},
): LiveEnvironment {
  return {
    settings: { ...placeOf(order, bounds), ...bucketOf(order, extra) },
    identity: identityOf(order),
  };
}

/** Workers append `&…` to these addresses as they are, so that each has a `?`; `$…` is for them to fill in. */
function addressesOf(
  { workerToken, endpoint, gpus }: WorkerOrder,
  { url }: LiveService,
): Variables {
  const base = `${url}/live/v2/${encodeURIComponent(endpoint.id)}`;
  const query = new URLSearchParams({ gpu: gpus[0]?.typeId ?? "" }).toString();
  return {
    RUNPOD_WEBHOOK_GET_JOB: `${base}/job-take/$ID?${query}`,
    RUNPOD_WEBHOOK_POST_OUTPUT: `${base}/job-done/$RUNPOD_POD_ID/$ID?${query}`,
    RUNPOD_WEBHOOK_POST_STREAM: `${base}/job-stream/$RUNPOD_POD_ID/$ID?${query}`,
    RUNPOD_WEBHOOK_PING: `${base}/ping/$RUNPOD_POD_ID`,
    RUNPOD_AI_API_KEY: workerToken,
  };
}

function identityOf({ workerId, endpoint }: WorkerOrder): Variables {
  return {
    RUNPOD_AI_API_ID: endpoint.id,
    RUNPOD_POD_ID: workerId,
    RUNPOD_ENDPOINT_ID: endpoint.id,
  };
}

function habitsOf({ pingIntervalMs }: LiveService): Variables {
  return {
    RUNPOD_PING_INTERVAL: String(Math.max(pingIntervalMs, PING_INTERVAL_MIN_MS)),
    // They ask for memory, disk, GPUs and an address in the Internet, of which a machine at home need have none.
    RUNPOD_SKIP_AUTO_SYSTEM_CHECKS: "true",
    RUNPOD_SKIP_GPU_CHECK: "true",
  };
}

function placeOf({ workerId, endpoint, gpus }: WorkerOrder, bounds: LiveBounds): Variables {
  const { gpuTypeIds, dataCenterIds } = endpoint;
  const { cpuCount, memoryBytes } = bounds;
  const [volumeId] = volumesOf(endpoint);
  const place = { id: workerId, gpus, gpuTypeIds, volumeId, dataCenterIds };
  return livePlace({ ...place, cpuCount, memoryBytes });
}

/** By the live names the address holds the bucket. A template that empties it has none: many programs upload wherever there is one. */
function bucketOf({ template }: WorkerOrder, extra: Variables): Variables {
  if (template.env[LIVE_STORAGE_ENV.endpoint] === "") return {};
  const { endpoint, bucket, accessKeyId, secretAccessKey } = STORAGE_ENV;
  const address = extra[endpoint];
  if (address === undefined) return {};
  return {
    [LIVE_STORAGE_ENV.endpoint]: `${address}/${extra[bucket] ?? ""}`,
    [LIVE_STORAGE_ENV.accessKeyId]: extra[accessKeyId] ?? "",
    [LIVE_STORAGE_ENV.secretAccessKey]: extra[secretAccessKey] ?? "",
  };
}
