/** A real Kubernetes for tests: a cluster of one node in its own network namespace, built from Debian's source. */
import { type ChildProcess, execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { nodeImage } from "../docker-node-image.ts";
import { type StoppableDocker, startOwnDocker } from "../docker.ts";
import { makeNetworkNamespace } from "../network-namespace.ts";
import { Processes } from "../processes.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { type Access, makeAccess, NODE_NAME } from "./access.ts";
import { type Client, clientWith } from "./clients.ts";
import { ClusterNode } from "./cluster-node.ts";
import {
  hasCertificate,
  serverAt,
  startApiServer,
  startDeciders,
  startStore,
  until,
} from "./control-plane.ts";
import { furnish, kubeletCommand, proxyCommand, writeRuntime } from "./node.ts";
import { helmProgram, kubectlProgram } from "./client-programs.ts";
import { prepareKubernetes } from "./programs.ts";

/** A namespace of the cluster; disposing of it removes it with its objects. */
export interface ClusterNamespace extends AsyncDisposable {
  readonly name: string;
}

/** Use with `await using`. This machine reaches the addresses of its pods. */
export interface Kubernetes extends AsyncDisposable {
  /** The path of a configuration with all rights. */
  readonly kubeconfig: string;
  readonly nodeName: string;
  /** Engine of the node: pods may use its images, which are never pulled. */
  readonly docker: StoppableDocker;
  /** This machine's address for pods. */
  readonly hostAddress: string;
  readonly kubectl: Client;
  readonly helm: Client;
  /** Creates a namespace of the test, in which pods can be created at once. */
  makeNamespace(): Promise<ClusterNamespace>;
  /** Sets the node's number of `nvidia.com/gpu`. */
  setGpus(count: number): Promise<void>;
  /** Evicts all pods of the node, and lets no pod start there until it is uncordoned. */
  drainNode(): Promise<void>;
  uncordonNode(): Promise<void>;
  /** Removes the node from the cluster like a machine that is removed: its kubelet ends, its containers continue. */
  removeNode(): Promise<void>;
  /** Waits until the node is back and ready. */
  returnNode(): Promise<void>;
  /** Output of its programs, for when they do not start. */
  said(): string;
}

/**
 * Builds it first if needed.
 * @throws Error with the programs' output if it does not start
 */
export async function startKubernetes(): Promise<Kubernetes> {
  await prepareKubernetes();
  await using parts = new AsyncDisposableStack();
  const home = parts.use(temporaryDirectory()).path;
  const memory = path.join(home, "memory");
  fs.mkdirSync(memory);
  const namespace = parts.use(await makeNetworkNamespace({ ownMounts: true }));
  const { under, inside, outside } = namespace;
  await furnish(namespace, memory);
  const dataRoot = path.join(memory, "docker");
  const docker = parts.use(await startOwnDocker({ dataRoot, runtime: writeRuntime(home), under }));
  const pods = await docker.ask(
    ...["network", "inspect", "bridge", "--format", "{{(index .IPAM.Config 0).Subnet}}"],
  );
  await promisify(execFile)("ip", ["route", "add", pods, "via", inside]);
  const processes = parts.adopt(new Processes(), (started) => started.end());
  const start = (...command: readonly string[]): ChildProcess => {
    const [program = "", ...args] = [...under, "setpriv", "--pdeathsig", "SIGTERM", ...command];
    return processes.start(program, args, path.basename(command[0] ?? ""));
  };
  const access = makeAccess(home, serverAt(inside));
  const kubeconfig = access.configurationOf("admin");
  const kubectl = clientWith(kubectlProgram, kubeconfig);
  const stage = { access, start, memory, address: inside, kubectl, processes };
  try {
    await startPlane(stage);
    start(...proxyCommand(access, home, { pods, address: inside }));
    const pauseImage = await makePauseImage(docker);
    const command = kubeletCommand(access, home, {
      host: docker.host,
      pauseImage,
      address: inside,
    });
    const node = new ClusterNode(kubectl, () => start(...command));
    await node.join();
    const kept = parts.move();
    return {
      ...{ kubeconfig, nodeName: NODE_NAME, docker, hostAddress: outside, kubectl },
      helm: clientWith(helmProgram, kubeconfig),
      makeNamespace: () => makeNamespace(kubectl),
      setGpus: (count) => node.setGpus(count),
      drainNode: () => node.drain(),
      uncordonNode: async () => void (await kubectl(["uncordon", NODE_NAME])),
      removeNode: () => node.remove(),
      returnNode: () => node.join(),
      said: () => processes.said,
      [Symbol.asyncDispose]: () => kept.disposeAsync(),
    };
  } catch (error) {
    throw new Error(`Kubernetes did not come up:\n${processes.said}`, { cause: error });
  }
}

interface Stage {
  readonly access: Access;
  readonly start: (...command: readonly string[]) => unknown;
  readonly memory: string;
  readonly address: string;
  readonly kubectl: Client;
  readonly processes: Processes;
}

async function startPlane({ access, start, memory, address, kubectl, processes }: Stage) {
  const hasFailed = (): boolean => processes.isIncomplete;
  startStore(start, memory);
  startApiServer(start, address, access);
  await until("the certificate of the API server", () => hasCertificate(access), hasFailed);
  const isReady = async () => kubectl(["get", "--raw", "/readyz"]).then(isOk, () => false);
  await until("the API server", isReady, hasFailed);
  startDeciders(start, access);
}

const isOk = (text: string): boolean => text === "ok";

/** Ends at once on SIGTERM: a first process that ignores it would delay the end of every pod by 10 s. */
const PAUSES = "trap exit TERM; sleep 2147483647 & wait";

/** A program that holds the network of a pod and does nothing else. */
async function makePauseImage(docker: StoppableDocker): Promise<string> {
  const name = "sv-test/pause:1";
  const lines = `FROM ${await nodeImage(docker)}\nENTRYPOINT ["sh", "-c", "${PAUSES}"]\n`;
  const { code, stderr } = await docker.cli(["build", "-t", name, "-"], { input: lines });
  if (code !== 0) throw new Error(`${name} cannot be built:\n${stderr}`);
  return name;
}

const MAKERS_OF_PODS = "deployments,statefulsets,daemonsets,replicasets,jobs,pods";

let namespaces = 0;

async function makeNamespace(kubectl: Client): Promise<ClusterNamespace> {
  namespaces += 1;
  const name = `sv-test-${namespaces}`;
  await kubectl(["create", "namespace", name]);
  // No pod can be created without it.
  const wait = ["wait", "--for=create", "serviceaccount/default", "--timeout=30s"];
  await kubectl(["--namespace", name, ...wait]);
  const remove = async () => {
    // Pods are deleted first: otherwise the deletion of the namespace finds them, and retries after doubling
    // pauses.
    await kubectl(["--namespace", name, "delete", MAKERS_OF_PODS, "--all", "--now"]);
    await kubectl(["delete", "namespace", name]);
  };
  return { name, [Symbol.asyncDispose]: remove };
}
