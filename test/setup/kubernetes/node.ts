/** The only node of a cluster: a kubelet that runs pods as containers of an engine, and the proxy of services. */
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import type { NetworkNamespace } from "../network-namespace.ts";
import { type Access, NODE_NAME } from "./access.ts";
import { programsFolder } from "./programs.ts";

/** Kernel settings that a kubelet would change for the whole machine: it is shown that they are set already. */
const TUNABLES = {
  "vm/overcommit_memory": 1,
  "vm/panic_on_oom": 0,
  "kernel/panic": 10,
  "kernel/panic_on_oops": 1,
  "kernel/keys/root_maxkeys": 1_000_000,
  "kernel/keys/root_maxbytes": 25_000_000,
};

/** Fixed paths of a node's programs. */
const OWN_FOLDERS = ["/run", "/var/lib", "/var/log"];

/** Adds file systems in memory that only the namespace sees, and that go with it. */
export async function furnish({ under, outside }: NetworkNamespace, folder: string): Promise<void> {
  const [enter = "", ...entering] = under;
  const inside = async (...command: readonly string[]) => {
    await promisify(execFile)(enter, [...entering, ...command]);
  };
  await inside("ip", "route", "add", "default", "via", outside);
  for (const place of [...OWN_FOLDERS, folder])
    await inside("mount", "-t", "tmpfs", "-o", "mode=0755", "sv-test", place);
  for (const [name, value] of Object.entries(TUNABLES)) {
    const file = `/run/${path.basename(name)}`;
    await inside("sh", "-c", `echo ${value} >${file}; mount --bind ${file} /proc/sys/${name}`);
  }
}

/**
 * A program instead of runc that asks only for rights that this machine has: in a container it has no right to
 * raise limits or to spare processes when memory runs out.
 */
export function writeRuntime(folder: string): string {
  const file = path.join(folder, "runtime");
  const script = `#!/bin/sh
for word; do
  [ "$before" = --bundle ] && config=$word/config.json
  before=$word
done
[ -f "$config" ] && sed -i -e 's/"oomScoreAdj":-[0-9]*/"oomScoreAdj":0/' -e 's/"rlimits":\\[[^]]*\\]/"rlimits":[]/' "$config"
exec runc "$@"
`;
  fs.writeFileSync(file, script, { mode: 0o755 });
  return file;
}

/** Settings of a kubelet that leaves the machine's cgroups, disks and addresses alone. */
const KUBELET = {
  ...{ kind: "KubeletConfiguration", apiVersion: "kubelet.config.k8s.io/v1beta1" },
  // Only this machine reaches it.
  authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
  authorization: { mode: "AlwaysAllow" },
  ...{ cgroupsPerQOS: false, enforceNodeAllocatable: [], failSwapOn: false, oomScoreAdj: 0 },
  // The whole machine shares the disk.
  evictionHard: { "memory.available": "50Mi" },
  imageGCHighThresholdPercent: 100,
  // Otherwise pods see a changed Secret or ConfigMap only after a minute.
  syncFrequency: "10s",
  nodeStatusUpdateFrequency: "5s",
  ...{ resolvConf: "", maxOpenFiles: 20_000 },
};

/** Command of a kubelet on the engine at `host`; `pauseImage` holds the network of pods. */
export function kubeletCommand(
  access: Access,
  folder: string,
  { host, pauseImage, address }: { host: string; pauseImage: string; address: string },
): readonly [string, ...string[]] {
  const config = path.join(folder, "kubelet.json");
  fs.writeFileSync(config, JSON.stringify(KUBELET));
  return [
    path.join(programsFolder, "kubelet"),
    ...[`--config=${config}`, `--kubeconfig=${access.configurationOf("kubelet")}`],
    ...["--container-runtime=docker", `--docker-endpoint=${host}`],
    ...[`--pod-infra-container-image=${pauseImage}`, `--hostname-override=${NODE_NAME}`],
    `--node-ip=${address}`,
  ];
}

/** Command of the program that makes service addresses work. */
export function proxyCommand(
  access: Access,
  folder: string,
  { pods, address }: { pods: string; address: string },
): readonly [string, ...string[]] {
  const config = path.join(folder, "proxy.json");
  const settings = {
    ...{ kind: "KubeProxyConfiguration", apiVersion: "kubeproxy.config.k8s.io/v1alpha1" },
    clientConnection: { kubeconfig: access.configurationOf("proxy") },
    ...{ mode: "iptables", clusterCIDR: pods, hostnameOverride: NODE_NAME, bindAddress: address },
    // For two pods on one bridge: traffic to a service returns through the service.
    iptables: { masqueradeAll: true },
    // The kernel's table belongs to the machine.
    conntrack: { maxPerCore: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
  };
  fs.writeFileSync(config, JSON.stringify(settings));
  return [path.join(programsFolder, "kube-proxy"), `--config=${config}`];
}
