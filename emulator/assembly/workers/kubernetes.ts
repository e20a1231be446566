/** Makes the Kubernetes launcher, if the options ask for one. */
import { createHash } from "node:crypto";
import { workerToken } from "../../../runtime/protocol/environment/worker-token.ts";
import { isNamespace, NAMESPACE_RULE } from "../../core/workers/kubernetes-namespace.ts";
import { Cluster } from "../../launch/kubernetes/cluster.ts";
import { ClusterConnection } from "../../launch/kubernetes/cluster-connection.ts";
import {
  createKubernetesLauncher,
  type KubernetesLauncher,
  type KubernetesLauncherOptions,
} from "../../launch/kubernetes/kubernetes-launcher.ts";
import type { HttpServer } from "../../http/server.ts";
import { serviceUrl } from "../service-url.ts";
import type { PodPlaces } from "../../launch/kubernetes/pod-manifest.ts";
import type { WorkerOrder } from "../../launch/launcher.ts";
import type { LiveService } from "../../launch/live-environment.ts";
import type { ObjectService } from "../../objects/object-service.ts";
import type { EmulatorOptions } from "../../options.ts";
import { isLoopbackHost } from "../../core/access/loopback-host.ts";
import { DEFAULT_HOST } from "../callers.ts";
import { digestOf } from "./containers.ts";
import type { Elsewhere } from "./elsewhere.ts";
import { S3_PATH } from "../object-storage.ts";
import { storageEnvironment } from "./worker-storage.ts";

/** The options of the launcher. */
export type KubernetesOptions = Pick<
  EmulatorOptions,
  "advertise" | "host" | "kubernetes" | "kubernetesPod" | "store" | "workerAddress"
>;

export interface KubernetesParts extends Pick<
  KubernetesLauncherOptions,
  "clock" | "credentialsOf" | "found" | "isOurs" | "line" | "log" | "willing"
> {
  readonly emulator: KubernetesOptions;
  /** The data directory, if there is one. */
  readonly directory: string;
  /** The port that pods call. Undefined if there is no such port. */
  readonly elsewhere: Elsewhere | undefined;
  readonly http: Pick<HttpServer, "url">;
  /** Additional variables for live workers. */
  readonly liveTerms: Omit<LiveService, "url">;
  readonly objects: Pick<ObjectService, "bucketFor"> | undefined;
  readonly webhooks: { readonly secret: string };
}

/** @throws RangeError */
export function createKubernetes(parts: KubernetesParts): KubernetesLauncher | undefined {
  const { emulator, elsewhere } = parts;
  const { kubernetes: namespace, kubernetesPod: podTemplate } = emulator;
  if (namespace === undefined) return undefined;
  if (!isNamespace(namespace))
    throw new RangeError(`kubernetes must ${NAMESPACE_RULE}; got ${JSON.stringify(namespace)}`);
  if (elsewhere === undefined)
    throw new RangeError("kubernetes needs workerPort: pods take their jobs from that port");
  if (isForThisMachineAlone(emulator))
    throw new RangeError(
      "kubernetes needs a worker port that pods can reach: host is a loopback address, and workerAddress is not set",
    );
  return createKubernetesLauncher({
    ...parts,
    cluster: new Cluster(new ClusterConnection(), namespace),
    service: serviceId(parts),
    podTemplate,
    placesOf: async (order) => placesOf(parts, elsewhere, order),
  });
}

function placesOf(parts: KubernetesParts, elsewhere: Elsewhere, order: WorkerOrder): PodPlaces {
  const { liveTerms, objects } = parts;
  const url = serviceUrl(parts, elsewhere);
  const bucket = url === undefined ? undefined : objects?.bucketFor(order.endpoint, url + S3_PATH);
  return {
    serviceAddress: addressesOf(elsewhere),
    workerToken: workerToken(order.workerToken, elsewhere.listener.fingerprint),
    env: storageEnvironment(order.template.env, bucket),
    live: url === undefined ? undefined : { ...liveTerms, url },
  };
}

function isForThisMachineAlone({
  host = DEFAULT_HOST,
  workerAddress,
  advertise,
}: KubernetesOptions) {
  return workerAddress === undefined && advertise === undefined && isLoopbackHost(host);
}

/** Returns the addresses of all replicas, this one first. @throws Error before the port is open */
function addressesOf({ listener }: Elsewhere): string {
  const addresses = listener.addresses();
  if (addresses.length === 0) throw new Error("the port of workers is not open");
  return addresses.join(",");
}

/**
 * Returns the id by which all replicas of this service recognise its pods, also after a restart. Several machines may share a
 * cluster and have the same data path, so the id also includes the service's secret.
 */
function serviceId({ emulator, directory, webhooks }: KubernetesParts): string {
  const place = emulator.store === undefined ? digestOf(directory) : "store";
  const known = `pods of ${place} ${webhooks.secret}`;
  return createHash("sha256").update(known).digest("hex").slice(0, 16);
}
