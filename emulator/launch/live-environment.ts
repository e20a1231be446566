/** Environment variables with which images and programs of the live service find their jobs. Pure. */
import { LIVE_STORAGE_ENV, STORAGE_ENV } from "../../runtime/protocol/environment/storage-env.ts";
import { volumesOf } from "../core/resources/network-volumes/network-volume.ts";
import type { WorkerOrder } from "./launcher.ts";
import { livePlace, type LivePlace } from "./live-location.ts";

/** How a worker reaches the service by the live protocol. */
export interface LiveService {
  /** URL as the worker sees it, for example `http://172.17.0.1:7080`. */
  readonly url: string;
  /** Interval at which the worker reports its jobs, ms. */
  readonly pingIntervalMs: number;
  /** Number of processors that the worker may use. */
  readonly cpuCount: number;
  /** Maximum memory; absent for no limit. */
  readonly memoryBytes?: number | undefined;
}

/** Maximum that a worker may use. Undefined if it is unknown. */
export type LiveBounds = Pick<LivePlace, "cpuCount" | "memoryBytes">;

type Variables = Readonly<Record<string, string>>;

export interface LiveEnvironment {
  /** Variables that a template may override. */
  readonly settings: Variables;
  /** The identity of the worker and the address of the service, which no template may override. */
  readonly identity: Variables;
}

/** Minimum ping interval. Workers round it down to seconds, and would ping without a pause at 0. */
const PING_INTERVAL_MIN_MS = 1_000;

/**
 * Uses the names of the live service. Names without a counterpart here are left out.
 *
 * @param extra variables of this project; the bucket's variables are added under their live names too
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

/** The variables of a load balancing endpoint's server, which takes no jobs: it has no addresses and no key. */
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

/** Each address has a query, because workers append `&…` to it. Workers replace each `$…` by an id. */
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
    // These checks require memory, disk, GPUs and access to the Internet, which a developer's machine may not have.
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

/**
 * The live address contains the bucket. A template may set the address to "", because many programs upload whenever it is set.
 */
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
