/** The Kubernetes launcher without a service, on a simulated cluster. */
import { createSystemClock } from "../../../../emulator/assembly/system-clock.ts";
import type { Clock } from "../../../../emulator/core/time/clock.ts";
import type { RegistryCredentials } from "../../../../emulator/core/resources/registry-auths/registry-auth.ts";
import { Cluster } from "../../../../emulator/launch/kubernetes/cluster.ts";
import { ClusterConnection } from "../../../../emulator/launch/kubernetes/cluster-connection.ts";
import {
  createKubernetesLauncher,
  type KubernetesLauncher,
} from "../../../../emulator/launch/kubernetes/kubernetes-launcher.ts";
import type { Template } from "../../../../emulator/core/resources/templates/template.ts";
import { templateNamed } from "../../../contract/launcher/subject.ts";
import { type PodsApi, startPodsApi } from "../../../setup/pods-api/api-server.ts";

export const NODE_IMAGE = "registry.example/node:24";

export interface OpenedCluster extends AsyncDisposable {
  readonly api: PodsApi;
  readonly launcher: KubernetesLauncher;
  /** The lines of workers, each after the worker's id. */
  readonly lines: string[];
  /** The log messages of the launcher. */
  readonly said: string[];
  /** Number of calls of `willing`. */
  readonly willing: () => number;
  /** Another process of the same service, or of another one. */
  readonly another: (options?: OpenOptions) => KubernetesLauncher;
}

export interface OpenOptions {
  /** Speed of its clock. */
  readonly haste?: number;
  readonly service?: string;
  readonly isOurs?: (endpointId: string) => boolean;
  readonly credentials?: RegistryCredentials;
  /** Called when the pods were listed. */
  readonly found?: () => void;
}

export async function openCluster(options: OpenOptions = {}): Promise<OpenedCluster> {
  const api = await startPodsApi();
  api.node.images.set(NODE_IMAGE, {});
  const lines: string[] = [];
  const said: string[] = [];
  const all: KubernetesLauncher[] = [];
  let willing = 0;
  const say = (_: object, message: string) => void said.push(message);
  const another = ({
    service = "0123456789abcdef",
    isOurs,
    credentials,
    found = () => undefined,
    haste = 1,
  }: OpenOptions = {}) => {
    const launcher = createKubernetesLauncher({
      cluster: new Cluster(new ClusterConnection(api.kubeconfig), api.namespace),
      service,
      isOurs: isOurs ?? (() => true),
      placesOf: async ({ workerToken }) => ({
        ...{ serviceAddress: "tls://service.example:7443", workerToken, env: {} },
      }),
      credentialsOf: async () => credentials,
      line: ({ workerId }, line) => void lines.push(`${workerId}: ${line}`),
      found,
      willing: () => (willing += 1),
      log: { info: say, warn: say },
      clock: hasty(createSystemClock(), haste),
    });
    all.push(launcher);
    return launcher;
  };
  return {
    ...{ api, lines, said, another },
    launcher: another(options),
    willing: () => willing,
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map((each) => each.close()));
      await api[Symbol.asyncDispose]();
    },
  };
}

function hasty(clock: Clock, haste: number): Clock {
  const since = clock.now();
  return {
    now: () => since + (clock.now() - since) * haste,
    wakeAt: (at, wake) => clock.wakeAt(since + (at - since) / haste, wake),
  };
}

/** A template for workers that run `code` under Node. */
export function nodeTemplate(code: string): Template {
  return { ...templateNamed(NODE_IMAGE), dockerStartCmd: [process.execPath, "-e", code] };
}
