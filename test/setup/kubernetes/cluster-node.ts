/** The only node of a cluster, for code that sets up the cluster. */
import type { ChildProcess } from "node:child_process";
import { endProcess } from "../processes.ts";
import { NODE_NAME } from "./access.ts";
import type { Client } from "./clients.ts";

export class ClusterNode {
  readonly #kubectl: Client;
  readonly #startKubelet: () => ChildProcess;
  #kubelet: ChildProcess | undefined;

  constructor(kubectl: Client, startKubelet: () => ChildProcess) {
    this.#kubectl = kubectl;
    this.#startKubelet = startKubelet;
  }

  async join(): Promise<void> {
    this.#kubelet = this.#startKubelet();
    const wait = ["wait", `node/${NODE_NAME}`, "--timeout=120s"];
    await this.#kubectl([...wait, "--for=create"]);
    await this.#kubectl([...wait, "--for=condition=Ready"]);
  }

  async remove(): Promise<void> {
    if (this.#kubelet !== undefined) await endProcess(this.#kubelet);
    await this.#kubectl(["delete", "node", NODE_NAME]);
  }

  async setGpus(count: number): Promise<void> {
    const has = { "nvidia.com/gpu": String(count) };
    const patch = JSON.stringify({ status: { capacity: has, allocatable: has } });
    const patched = ["patch", "node", NODE_NAME, "--subresource=status", "--patch", patch];
    await this.#kubectl(patched);
  }

  async drain(): Promise<void> {
    const whatever = ["--force", "--ignore-daemonsets", "--delete-emptydir-data"];
    await this.#kubectl(["drain", NODE_NAME, ...whatever]);
  }
}
