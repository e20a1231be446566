/** The control plane of a cluster: the store, the API server, the controllers and the scheduler. */
import fs from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Access } from "./access.ts";
import { programsFolder } from "./programs.ts";

const READY_MS = 120_000;

/** Starts a program in the cluster's namespace. */
export type Start = (program: string, ...flags: readonly string[]) => void;

/** Range of service addresses, which only pods and the node itself reach. */
const SERVICES = "10.96.0.0/16";

const PORT = 6443;

export const serverAt = (address: string): string => `https://${address}:${PORT}`;

export function startStore(start: Start, folder: string): void {
  start("/usr/bin/etcd", "--data-dir", path.join(folder, "etcd"), "--log-level=error");
}

export function startApiServer(start: Start, address: string, access: Access): void {
  start(
    path.join(programsFolder, "kube-apiserver"),
    ...["--etcd-servers=http://127.0.0.1:2379", `--advertise-address=${address}`],
    ...[`--secure-port=${PORT}`, "--insecure-port=0", `--cert-dir=${access.certificates}`],
    ...[`--token-auth-file=${access.tokensFile}`, "--authorization-mode=Node,RBAC"],
    `--service-account-key-file=${access.keyFile}`,
    `--service-account-signing-key-file=${access.keyFile}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-cluster-ip-range=${SERVICES}`,
    // Address for logs of pods: the name of the node cannot be resolved.
    "--kubelet-preferred-address-types=InternalIP",
  );
}

export function startDeciders(start: Start, access: Access): void {
  const configured = (user: "controller-manager" | "scheduler") => [
    ...[`--kubeconfig=${access.configurationOf(user)}`, "--leader-elect=false", "--port=0"],
  ];
  start(
    path.join(programsFolder, "kube-controller-manager"),
    ...configured("controller-manager"),
    `--service-account-private-key-file=${access.keyFile}`,
    `--root-ca-file=${access.authorityFile}`,
    "--use-service-account-credentials",
    // A silent node is given up sooner than on a real cluster.
    ...["--node-monitor-period=2s", "--node-monitor-grace-period=20s"],
  );
  start(path.join(programsFolder, "kube-scheduler"), ...configured("scheduler"));
}

/**
 * Waits until `isDone`.
 * @throws Error if that takes too long, or `hasFailed`
 */
export async function until(
  what: string,
  isDone: () => boolean | Promise<boolean>,
  hasFailed: () => boolean,
): Promise<void> {
  const end = performance.now() + READY_MS;
  while (!(await isDone())) {
    if (hasFailed() || performance.now() > end) throw new Error(`${what} did not come up`);
    await wait(100);
  }
}

/** Polls for the certificate: no event announces it, and the key is written after it. */
export function hasCertificate({ certificates }: Access): boolean {
  return fs.existsSync(path.join(certificates, "apiserver.key"));
}
