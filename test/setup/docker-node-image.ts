/** An image with Node and a shell that needs no registry, made from this machine's own files. */
import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import type { TestDocker } from "./docker.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

/** Changes with the content below. */
const RECIPE = "3";

const cache = path.resolve(import.meta.dirname, "../../node_modules/.cache/sv-runtime/images");

const FILES: Readonly<Record<string, string>> = {
  "etc/passwd": "root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1000:node:/home/node:/bin/sh\n",
  "etc/group": "root:x:0:\nnode:x:1000:\n",
  "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
  // Without them the engine would create them when a container first runs, in the layer of the present build.
  "etc/hostname": "",
  "etc/hosts": "",
  "etc/resolv.conf": "",
};
const FOLDERS = ["dev", "home/node", "proc", "root", "sys", "tmp", "usr/bin", "usr/local/bin"];

/** Name of the image, which is then in the engine. It takes seconds, the first time on a machine a few more. */
export async function nodeImage(docker: TestDocker): Promise<string> {
  const version = digest();
  const name = `sv-test/node:${version}`;
  const { code } = await docker.cli(["image", "inspect", name]);
  if (code === 0) return name;
  const archive = path.join(cache, `${version}.tar`);
  if (!fs.existsSync(archive)) await putTogether(archive);
  const environment = "ENV PATH=/usr/local/bin:/usr/bin:/bin";
  await docker.ask("import", "--change", environment, archive, name);
  return name;
}

/** The image with this machine's npm and environment variables added. Returns `name`. */
export async function npmImage(
  docker: TestDocker,
  name: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const which = execFileSync("sh", ["-c", "command -v npm"], { encoding: "utf8" });
  const npm = path.resolve(fs.realpathSync(which.trim()), "../..");
  const shim = '#!/bin/sh\\nexec node /npm/bin/npm-cli.js "$@"\\n';
  const lines = [
    `FROM ${await nodeImage(docker)}`,
    "COPY . /npm/",
    `RUN printf '${shim}' > /usr/local/bin/npm; chmod 755 /usr/local/bin/npm`,
    ...Object.entries(env).map(([variable, value]) => `ENV ${variable}=${value}`),
  ];
  const build = ["build", "-f", "-", "-t", name, "--label", docker.label, npm];
  const { code, stderr } = await docker.cli(build, { input: `${lines.join("\n")}\n` });
  if (code !== 0) throw new Error(`${name} cannot be built:\n${stderr}`);
  return name;
}

function digest(): string {
  const hash = createHash("sha256").update(`${RECIPE} ${process.version}`);
  for (const file of [process.execPath, busybox()]) hash.update(String(fs.statSync(file).size));
  return hash.digest("hex").slice(0, 16);
}

async function putTogether(archive: string): Promise<void> {
  using temporary = temporaryDirectory();
  const root = temporary.path;
  for (const folder of FOLDERS) fs.mkdirSync(path.join(root, folder), { recursive: true });
  fs.chmodSync(path.join(root, "tmp"), 0o1777);
  fs.chmodSync(root, 0o755);
  for (const [file, text] of Object.entries(FILES)) write(path.join(root, file), text);
  fs.copyFileSync(process.execPath, path.join(root, "usr/local/bin/node"));
  for (const library of librariesOf(process.execPath)) {
    fs.mkdirSync(path.join(root, path.dirname(library)), { recursive: true });
    fs.copyFileSync(library, path.join(root, library));
  }
  linkApplets(path.join(root, "bin"));
  // Programs of packages begin with this path.
  fs.symlinkSync("/bin/env", path.join(root, "usr/bin/env"));
  fs.mkdirSync(cache, { recursive: true });
  const partial = `${archive}.${process.pid}`;
  const owner = ["--owner=0", "--group=0", "--numeric-owner"];
  await promisify(execFile)("tar", ["-C", root, ...owner, "-cf", partial, "."]);
  fs.renameSync(partial, archive);
}

/** Their linked libraries, and those that the C library loads to resolve names. */
export function librariesOf(...programs: readonly string[]): readonly string[] {
  const linked = execFileSync("ldd", programs, { encoding: "utf8" });
  const files = [...linked.matchAll(/(\/\S+) \(0x/gu)].map(([, file = ""]) => file);
  const folder = path.dirname(files.find((file) => file.includes("libc.so")) ?? "");
  const names = ["libnss_dns.so.2", "libnss_files.so.2", "libresolv.so.2"];
  const more = names.map((name) => path.join(folder, name)).filter(fs.existsSync);
  return [...new Set([...files, ...more])];
}

function linkApplets(bin: string): void {
  fs.mkdirSync(bin, { recursive: true });
  fs.copyFileSync(busybox(), path.join(bin, "busybox"));
  const applets = execFileSync(busybox(), ["--list"], { encoding: "utf8" }).trim().split("\n");
  for (const applet of applets) {
    if (applet !== "busybox") fs.symlinkSync("busybox", path.join(bin, applet));
  }
}

function write(file: string, text: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

function busybox(): string {
  const which = execFileSync("sh", ["-c", "command -v busybox"], { encoding: "utf8" });
  return fs.realpathSync(which.trim());
}
