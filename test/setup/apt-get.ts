/** Installs Debian's packages, if this process may. */
import { execFile, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

/** A lock, because test files and test runs are parallel, and two runs of apt-get cannot be. */
const ONE_AT_A_TIME = "/tmp/sv-runtime-apt-get.lock";

/** Whether the packages are installed now, without recommended ones; false without root, or on another system. */
export function aptInstall(packages: readonly string[]): boolean {
  if (process.getuid?.() !== 0 || !succeeds("apt-get", "--version")) return false;
  console.log(`set-up: installing ${packages.join(" and ")} (apt-get)`);
  const install = () => aptGet("install", "-y", "-qq", "--no-install-recommends", ...packages);
  return install() || (aptGet("update", "-qq") && install());
}

/** Whether the command ran and exited with 0. */
export function succeeds(command: string, ...args: readonly string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync(command, args, { stdio: "ignore", env }).status === 0;
}

function aptGet(...args: readonly string[]): boolean {
  return succeeds("flock", ONE_AT_A_TIME, "apt-get", "-o", "DPkg::Lock::Timeout=300", ...args);
}

/**
 * Calls apt-get in `folder` with lists of source packages of the machine's sources; the machine's own lists stay
 * unchanged.
 */
export async function withSources(folder: string, ...args: readonly string[]): Promise<void> {
  const at = (name: string): string => path.join(folder, name);
  const [lists, parts, list] = [at("lists"), at("sources.list.d"), at("sources.list")];
  for (const made of [path.join(lists, "partial"), parts]) fs.mkdirSync(made, { recursive: true });
  const files = fs.globSync(["/etc/apt/sources.list", "/etc/apt/sources.list.d/*.{list,sources}"]);
  fs.writeFileSync(list, "");
  for (const file of files) {
    const text = fs
      .readFileSync(file, "utf8")
      .replaceAll(/^(Types: ).*$|^deb(?=\s)/gmu, "$1deb-src");
    fs.writeFileSync(
      path.join(file.endsWith("sources.list") ? folder : parts, path.basename(file)),
      text,
    );
  }
  const places = { "Etc::SourceList": list, "Etc::SourceParts": parts, "State::Lists": lists };
  const options = Object.entries(places).flatMap(([name, place]) => [
    "-o",
    `Dir::${name}=${place}`,
  ]);
  const apt = promisify(execFile);
  await apt("apt-get", [...options, "update", "-qq"], { cwd: folder });
  await apt("apt-get", [...options, "-qq", ...args], { cwd: folder });
}
