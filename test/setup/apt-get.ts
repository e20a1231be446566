/** Installing Debian's packages, where this process may. */
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import path from "node:path";

/** Test files run side by side, and apt-get beside another apt-get fails. */
const ONE_AT_A_TIME = path.join(tmpdir(), "sv-runtime-apt-get.lock");

/** Whether they are installed now, without what they recommend: false where that takes other rights or another system. */
export function aptInstall(packages: readonly string[]): boolean {
  if (process.getuid?.() !== 0 || !succeeds("apt-get", "--version")) return false;
  console.log(`set-up: installing ${packages.join(" and ")} (apt-get)`);
  const install = () => aptGet("install", "-y", "-qq", "--no-install-recommends", ...packages);
  return install() || (aptGet("update", "-qq") && install());
}

/** Whether the command ran and ended with 0. */
export function succeeds(command: string, ...args: readonly string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync(command, args, { stdio: "ignore", env }).status === 0;
}

function aptGet(...args: readonly string[]): boolean {
  return succeeds("flock", ONE_AT_A_TIME, "apt-get", "-o", "DPkg::Lock::Timeout=300", ...args);
}
