/**
 * Builds Kubernetes from Debian's source, because its components have no packages: once, about 8 minutes on two
 * idle cores. As a program it builds what is missing, and ends.
 */
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { withSources } from "../apt-get.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { KUBERNETES_VERSION, kubernetesIsMissing, programsFolder } from "./programs.ts";

const SERVERS = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"];
const PROGRAMS = [...SERVERS, "kubelet"];
/** The vendored version crashes the API server under a Go that is newer than Kubernetes. */
const REFLECT = "github.com/modern-go/reflect2";
const OPENAPI = "k8s.io/kubernetes/pkg/generated/openapi";
const VENDORED = "k8s.io/kubernetes/vendor/k8s.io";
/** Variables that set the programs' version, and the one that the API server reports. */
const VERSIONED = ["component-base/version", "client-go/pkg/version"];

async function build(): Promise<void> {
  if (fs.existsSync(programsFolder)) return;
  const missing = kubernetesIsMissing();
  if (missing !== undefined) throw new Error(missing);
  console.log("set-up: building Kubernetes from Debian's source, which takes 8 minutes or more");
  using scratch = temporaryDirectory();
  const tree = await unpack(scratch.path);
  const patched = path.join(tree, "vendor", REFLECT);
  fs.rmSync(patched, { recursive: true });
  fs.cpSync(path.join("/usr/share/gocode/src", REFLECT), patched, { recursive: true });
  const bin = path.join(scratch.path, "bin");
  const go = goIn(scratch.path, tree);
  await go("build", "-o", `${bin}/`, "./vendor/k8s.io/kube-openapi/cmd/openapi-gen");
  await generateOpenApi(scratch.path, tree);
  const [major = "", minor = ""] = KUBERNETES_VERSION.split(".");
  const facts = { Version: `v${KUBERNETES_VERSION}`, Major: major, Minor: minor };
  const flags = VERSIONED.flatMap((name) =>
    Object.entries(facts).map(([fact, value]) => `-X ${VENDORED}/${name}.git${fact}=${value}`),
  );
  const packages = PROGRAMS.map((program) => `./cmd/${program}`);
  await go("build", "-o", `${bin}/`, "-ldflags", `-s -w ${flags.join(" ")}`, ...packages);
  keep(bin);
}

/** The tree of Debian's source package, at Go's path below `folder`. */
async function unpack(folder: string): Promise<string> {
  await withSources(folder, "source", "--download-only", "kubernetes");
  const [description = ""] = fs.globSync(path.join(folder, "*.dsc"));
  const tree = path.join(folder, "src/k8s.io/kubernetes");
  fs.mkdirSync(path.dirname(tree), { recursive: true });
  await promisify(execFile)("dpkg-source", ["--no-check", "-x", description, tree]);
  return tree;
}

function goIn(folder: string, tree: string) {
  const env = {
    ...process.env,
    ...{ GOPATH: folder, GOCACHE: path.join(folder, "cache"), GOFLAGS: "" },
    ...{ GO111MODULE: "off", CGO_ENABLED: "0" },
  };
  return async (...args: readonly string[]): Promise<void> => {
    const niceGo = ["-n", "19", "/usr/lib/go-1.19/bin/go", ...args];
    await promisify(execFile)("nice", niceGo, { env, cwd: tree });
  };
}

/** Files that the source package lacks, because its own build generates them as well. */
async function generateOpenApi(folder: string, tree: string): Promise<void> {
  const args = [
    ...["--go-header-file", "vendor/k8s.io/code-generator/hack/boilerplate.go.txt"],
    ...["-i", describedPackages(tree).join(",")],
    ...["-p", OPENAPI, "-O", "zz_generated.openapi", "-o", path.join(folder, "src")],
    ...["-r", path.join(folder, "violations")],
  ];
  const searched = `/usr/lib/go-1.19/bin:${process.env["PATH"]}`;
  const env = { ...process.env, GOPATH: folder, GO111MODULE: "off", PATH: searched };
  await promisify(execFile)(path.join(folder, "bin/openapi-gen"), args, { env, cwd: tree });
}

function describedPackages(tree: string): readonly string[] {
  const files = fs.globSync(["pkg/**/*.go", "staging/src/k8s.io/**/*.go"], { cwd: tree });
  const examples = /\/(?:code-generator|sample-[a-z-]+|testdata)\//u;
  const described = files.filter((file) => {
    if (examples.test(file)) return false;
    return fs.readFileSync(path.join(tree, file), "utf8").includes("+k8s:openapi-gen=");
  });
  const folders = described.map((file) => path.dirname(file).replace("staging/src/", "vendor/"));
  return [...new Set(folders)].toSorted().map((folder) => `k8s.io/kubernetes/${folder}`);
}

/** Either all programs exist or none. */
function keep(bin: string): void {
  const partial = `${programsFolder}.${process.pid}`;
  fs.mkdirSync(partial, { recursive: true });
  for (const program of PROGRAMS)
    fs.copyFileSync(path.join(bin, program), path.join(partial, program));
  fs.renameSync(partial, programsFolder);
}

await build();
