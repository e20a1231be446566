/** The scheduler and the node of a simulated cluster: checks whether a pod fits, pulls its image, runs it, reports its status, and ends it. */
import type {
  V1NodeAffinity,
  V1NodeSelectorRequirement,
  V1Pod,
  V1PodSpec,
} from "@kubernetes/client-node";
import { type ContainerEnd, ContainerProcess } from "./container-process.ts";
import { now, type Objects, type Stored } from "./objects.ts";

/** An image, with the entrypoint of pods that have no command. */
export interface TestImage {
  readonly entrypoint?: readonly string[];
  /** `user:password` for its registry. */
  readonly login?: string;
}

type Status = NonNullable<V1Pod["status"]>;

/** Interval at which waiting pods are looked at. */
const LOOK_MS = 50;

export class TestNode {
  readonly images = new Map<string, TestImage>();
  readonly labels: Record<string, string> = {};
  readonly claims = new Set<string>();
  gpus = 0;
  /** Keeps the node from creating containers. Only an event reports it, as with a kubelet. */
  trouble: { readonly reason: string; readonly message: string } | undefined;
  /** True: a kubelet that does nothing. */
  isAway = false;
  readonly #objects: Objects;
  readonly #containers = new Map<string, ContainerProcess>();
  readonly #looking: NodeJS.Timeout;

  constructor(objects: Objects) {
    this.#objects = objects;
    objects.listen(({ kind, type, object }) => {
      if (kind === "pods" && type === "DELETED") this.#containers.get(object.metadata.uid)?.kill();
    });
    this.#looking = setInterval(() => this.#look(), LOOK_MS);
  }

  container({ metadata: { uid } }: Stored): ContainerProcess | undefined {
    return this.#containers.get(uid);
  }

  /** Number of processes of all pods, past ones included. */
  get processCount(): number {
    return [...this.#containers.values()].reduce((sum, each) => sum + each.processCount, 0);
  }

  async stop(): Promise<void> {
    clearInterval(this.#looking);
    for (const each of this.#containers.values()) each.kill();
    await Promise.all([...this.#containers.values()].map(({ ended }) => ended));
  }

  /** Ends a pod, which stays as an object: for evictions, and for memory that runs out. */
  end(name: string, ended: Partial<Status>, reason?: string): void {
    const pod = this.#objects.get("pods", name);
    this.#tell(pod, { phase: "Failed", ...ended, ...(reason && over({ exitCode: 137, reason })) });
    this.#containers.get(pod.metadata.uid)?.kill();
  }

  #look(): void {
    if (this.isAway) return;
    for (const pod of this.#objects.list("pods")) {
      const { phase = "Pending" } = pod.status ?? {};
      const { uid, deletionTimestamp } = pod.metadata;
      const isMade = this.#containers.has(uid);
      if (!isMade && deletionTimestamp !== undefined)
        this.#objects.remove("pods", pod.metadata.name);
      else if (!isMade && phase === "Pending") this.#prepare(pod);
      else if (deletionTimestamp !== undefined) this.#end(pod, Date.parse(deletionTimestamp));
    }
  }

  #prepare(pod: Stored): void {
    const { spec } = pod;
    if (spec === undefined) return;
    const lack = this.#lack(spec);
    if (lack !== undefined) {
      const message = `0/1 nodes are available: ${lack}.`;
      const unscheduled = {
        type: "PodScheduled",
        status: "False",
        reason: "Unschedulable",
        message,
      };
      return this.#tell(pod, { phase: "Pending", conditions: [unscheduled] });
    }
    if (spec.nodeName === undefined)
      this.#objects.change("pods", pod, (it) => ({
        ...it,
        spec: Object.assign({}, spec, { nodeName: "node-1" }),
      }));
    const waiting = this.#waiting(spec);
    const conditions = [{ type: "PodScheduled", status: "True" }];
    if (waiting !== undefined)
      return this.#tell(pod, {
        phase: "Pending",
        conditions,
        containerStatuses: [status({ waiting })],
      });
    this.#run(pod, spec);
  }

  #lack(spec: V1PodSpec): string | undefined {
    const wanted = Number(spec.containers[0]?.resources?.limits?.["nvidia.com/gpu"] ?? 0);
    if (wanted > this.gpus) return "1 Insufficient nvidia.com/gpu";
    const claim = spec.volumes?.find(({ persistentVolumeClaim: it }) => it !== undefined);
    const claimName = claim?.persistentVolumeClaim?.claimName;
    if (claimName !== undefined && !this.claims.has(claimName))
      return `persistentvolumeclaim "${claimName}" not found`;
    const selector = Object.entries(spec.nodeSelector ?? {});
    const fits =
      selector.every(([key, value]) => this.labels[key] === value) &&
      isAsked(spec.affinity?.nodeAffinity, this.labels);
    return fits ? undefined : "1 node(s) didn't match node selector";
  }

  /** The events of a pod on the node. */
  eventsOf(uid: string) {
    const pod = this.#objects.list("pods").find((each) => each.metadata.uid === uid);
    if (pod?.spec?.nodeName === undefined) return [];
    const scheduled = { type: "Normal", reason: "Scheduled", message: "Successfully assigned" };
    const { creationTimestamp: lastTimestamp } = pod.metadata;
    const events = [{ ...scheduled, lastTimestamp }];
    if (this.trouble === undefined) return events;
    const later = new Date(Date.parse(lastTimestamp) + 1_000).toISOString();
    return [...events, { type: "Warning", ...this.trouble, lastTimestamp: later }];
  }

  #waiting({ containers, imagePullSecrets = [] }: V1PodSpec) {
    if (this.trouble !== undefined) return { reason: "ContainerCreating" };
    const [{ image = "", envFrom = [] } = {}] = containers;
    const found = this.images.get(image);
    const secrets = imagePullSecrets.map(({ name = "" }) => this.#secret(name));
    const logins = secrets.map((data) => loginIn(data?.[".dockerconfigjson"]));
    if (found === undefined)
      return {
        reason: "ErrImagePull",
        message: `failed to pull and unpack image "${image}": not found`,
      };
    if (found.login !== undefined && !logins.includes(found.login))
      return {
        reason: "ErrImagePull",
        message: `failed to authorize "${image}": 401 Unauthorized`,
      };
    const missing = envFrom.find(
      ({ secretRef }) => this.#secret(secretRef?.name ?? "") === undefined,
    );
    if (missing === undefined) return undefined;
    const { name } = missing.secretRef ?? {};
    return { reason: "CreateContainerConfigError", message: `secret "${name}" not found` };
  }

  #run(pod: Stored, spec: V1PodSpec): void {
    const [container] = spec.containers;
    const { image = "", envFrom = [], command, args = [] } = container ?? {};
    const secrets = envFrom.map(({ secretRef }) => this.#secret(secretRef?.name ?? "") ?? {});
    const env = Object.assign({}, ...secrets) as Record<string, string>;
    const entrypoint = this.images.get(image)?.entrypoint ?? [];
    const argv = [...(command ?? entrypoint), ...args].map((each) => expanded(each, env));
    const run = new ContainerProcess(argv, env);
    this.#containers.set(pod.metadata.uid, run);
    const running = { startedAt: now() } as never;
    const at = { podIP: "127.0.0.1", conditions: [{ type: "Ready", status: "True" }] };
    this.#tell(pod, { phase: "Running", ...at, containerStatuses: [status({ running })] });
    void run.ended.then((end) => {
      if (this.isAway) return;
      this.#tell(pod, { phase: end.exitCode === 0 ? "Succeeded" : "Failed", ...over(end) });
      const left = this.#objects.find("pods", pod.metadata.name);
      if (left?.metadata.deletionTimestamp !== undefined)
        this.#objects.remove("pods", pod.metadata.name);
    });
  }

  /** Sends SIGTERM when a pod is deleted, and SIGKILL after its grace. */
  #end(pod: Stored, atMs: number): void {
    const run = this.#containers.get(pod.metadata.uid);
    if (run === undefined || run.isOver) this.#objects.remove("pods", pod.metadata.name);
    else if (Date.now() >= atMs) run.kill();
    else run.terminate();
  }

  #secret(name: string): Readonly<Record<string, string>> | undefined {
    const { data } = this.#objects.find("secrets", name) ?? {};
    if (data === undefined) return undefined;
    return Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]),
    );
  }

  #tell(pod: Stored, told: Partial<Status>): void {
    const before = JSON.stringify(this.#objects.find("pods", pod.metadata.name)?.status);
    const isOver = /"phase":"(Failed|Succeeded)"/u.test(before ?? "");
    this.#objects.change("pods", pod, (it) => ({
      ...it,
      status: Object.assign({}, it.status, isOver ? {} : told),
    }));
  }
}

type Labels = Readonly<Record<string, string>>;

/** Whether a node with these labels meets the affinity. */
export function isAsked(affinity: V1NodeAffinity | undefined, labels: Labels): boolean {
  const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined) return true;
  const holds = ({ key, operator, values = [] }: V1NodeSelectorRequirement) => {
    const value = labels[key];
    if (operator === "DoesNotExist" || value === undefined)
      return operator === "DoesNotExist" && value === undefined;
    return operator === "Gt" ? Number(value) > Number(values[0]) : values.includes(value);
  };
  return required.nodeSelectorTerms.some(({ matchExpressions = [] }) =>
    matchExpressions.every(holds),
  );
}

function status(state: object): never {
  const named = { name: "worker", image: "", imageID: "", ready: false, restartCount: 0 };
  return { ...named, state } as never;
}

function over(terminated: ContainerEnd): Partial<Status> {
  return { containerStatuses: [status({ terminated })] };
}

/** Replaces `$(NAME)` with a variable, and `$$` with a dollar. */
function expanded(text: string, env: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\$|\$\(([^)]*)\)/gu, (whole, name: string | undefined) =>
    whole === "$$" ? "$" : (env[name ?? ""] ?? whole),
  );
}

function loginIn(config = "{}"): string | undefined {
  const { auths = {} } = JSON.parse(config) as { auths?: Record<string, { auth: string }> };
  const [first] = Object.values(auths);
  return first && Buffer.from(first.auth, "base64").toString();
}
