/** The programs of a cluster. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { whatIsMissing } from "../debian-program.ts";
import { dockerIsMissing } from "../docker.ts";
import { kubernetesCache as cache, prepareClients } from "./client-programs.ts";

/** Version of Debian's source. */
export const KUBERNETES_VERSION = "1.20.2";

const buildScript = path.join(import.meta.dirname, "build.ts");
const buildDigest = createHash("sha256").update(fs.readFileSync(buildScript)).digest("hex");

/** Folder of the servers and the kubelet. A changed script builds them again. */
export const programsFolder = path.join(cache, `${KUBERNETES_VERSION}-${buildDigest.slice(0, 16)}`);

/** Reason that tests with Kubernetes are left out here; undefined if they run. Under CI they are never left out. */
export function kubernetesIsMissing(): string | undefined {
  if (dockerIsMissing !== undefined) return dockerIsMissing;
  const tests = "tests with Kubernetes";
  const running = whatIsMissing(tests, ["etcd", "ip", "iptables", "busybox"]);
  if (running !== undefined || fs.existsSync(programsFolder)) return running;
  return whatIsMissing(tests, ["go", "dpkg-source", "reflect2"]);
}

/**
 * Builds the programs if needed: about 8 minutes on two idle cores and 1.5 GB of disk for a while, the first time in a
 * checkout.
 * @throws Error with the output of the build
 */
export async function prepareKubernetes(): Promise<void> {
  fs.mkdirSync(cache, { recursive: true });
  await prepareClients();
  const lock = path.join(cache, "lock");
  await promisify(execFile)("flock", [lock, process.execPath, buildScript]);
}
