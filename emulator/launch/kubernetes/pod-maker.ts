/** Makes and deletes pods with their secrets. */
import type { V1ConfigMap, V1OwnerReference } from "@kubernetes/client-node";
import type { RegistryCredentials } from "../../core/resources/registry-auths/registry-auth.ts";
import type { Template } from "../../core/resources/templates/template.ts";
import { readContainerSettings } from "../container-settings.ts";
import type { LaunchLog, WorkerOrder } from "../launcher.ts";
import type { Cluster } from "./cluster.ts";
import { type PodFrame, podManifest, type PodPlaces, secretManifests } from "./pod-manifest.ts";
import { environmentName, ownerName, pullName, serviceLabels } from "./pod-names.ts";
import type { PodTemplate } from "./pod-template.ts";
import type { SeenPod } from "./seen-pod.ts";

export interface PodMakerOptions {
  readonly cluster: Cluster;
  /** Id of the service, the same after restarts and at all replicas: 16 hexadecimal digits. */
  readonly service: string;
  /** How a worker reaches the service. Rejects with a sentence if pods cannot reach it. */
  readonly placesOf: (order: WorkerOrder) => Promise<PodPlaces>;
  /** Credentials for the image's registry. Undefined for a template that names none. Rejects with a sentence. */
  readonly credentialsOf: (template: Template) => Promise<RegistryCredentials | undefined>;
  readonly log: LaunchLog;
  /** Merged under each pod. */
  readonly podTemplate?: PodTemplate | undefined;
}

/** Default memory limit: none but the node's memory. */
export const NO_BOUND = Number.POSITIVE_INFINITY;

export class PodMaker {
  readonly #options: PodMakerOptions;

  constructor(options: PodMakerOptions) {
    this.#options = options;
  }

  /** @throws Error with a sentence; the reason of `signal` */
  async make(order: WorkerOrder, signal: AbortSignal): Promise<SeenPod> {
    const { cluster, service, placesOf, credentialsOf, podTemplate } = this.#options;
    const { template } = order;
    const settings = readContainerSettings(template, NO_BOUND);
    if (typeof settings === "string") throw new Error(settings);
    const [places, credentials] = await Promise.all([placesOf(order), credentialsOf(template)]);
    const owner = await this.#owner();
    signal.throwIfAborted();
    const bounds = { settings, template: podTemplate };
    const frame: PodFrame = { service, owner, places, credentials, ...bounds };
    const pod = podManifest(order, frame);
    try {
      for (const secret of secretManifests(order, frame)) await cluster.createSecret(secret);
      signal.throwIfAborted();
      return await cluster.createPod(pod);
    } catch (error) {
      await this.#removeSecrets(pod.metadata?.name ?? "");
      throw error;
    }
  }

  /** Deletes the pod. If that fails, the pod is a leftover, which is deleted later. Never rejects. */
  async remove(pod: SeenPod): Promise<void> {
    try {
      await this.#options.cluster.deletePod(pod, 1);
    } catch (error) {
      const { name } = pod.metadata;
      this.#options.log.warn({ pod: name, err: error }, "a pod could not be deleted yet");
      return;
    }
    await this.#removeSecrets(pod.metadata.name);
  }

  /** The config map that owns all pods and secrets. If it is deleted, the cluster deletes them too. */
  async #owner(): Promise<V1OwnerReference> {
    const { cluster, service } = this.#options;
    const name = ownerName(service);
    const note =
      "The pods and secrets of this sv-runtime service belong to this object, and are deleted with it.";
    const body: V1ConfigMap = {
      ...{ apiVersion: "v1", kind: "ConfigMap" },
      metadata: { name, labels: serviceLabels(service) },
      data: { note },
    };
    return {
      ...{ apiVersion: "v1", kind: "ConfigMap", name },
      uid: await cluster.provideConfigMap(body),
    };
  }

  /** Deletes a pod's secrets. If this fails, the cluster deletes them together with their owner. */
  async #removeSecrets(pod: string): Promise<void> {
    const { cluster } = this.#options;
    const names = [environmentName(pod), pullName(pod)];
    await Promise.allSettled(names.map((name) => cluster.deleteSecret(name)));
  }
}
