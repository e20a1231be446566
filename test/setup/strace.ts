/** The program strace, for tests that end a process at a chosen system call; installed from Debian where that is possible. */
import { spawnSync } from "node:child_process";

/** Why those tests are left out here; undefined where they run. Under CI they are never left out. @throws Error instead */
export const straceIsMissing: string | undefined = findOrInstall();

function findOrInstall(): string | undefined {
  if (works() || (mayInstall() && install() && works())) return undefined;
  const reason =
    "strace does not work here, and apt-get cannot install it; this takes root on Debian";
  if (process.env["CI"] === "true") throw new Error(reason);
  console.warn(`tests of kills at a system call are left out: ${reason}`);
  return reason;
}

/** A container may have the program and not be allowed to trace. */
function works(): boolean {
  return succeeds("strace", "-f", "-o", "/dev/null", "true");
}

function mayInstall(): boolean {
  return process.getuid?.() === 0 && succeeds("apt-get", "--version");
}

function install(): boolean {
  console.log("set-up: installing strace (apt-get)");
  const installStrace = () => succeeds("apt-get", "install", "-y", "-qq", "strace");
  return installStrace() || (succeeds("apt-get", "update", "-qq") && installStrace());
}

function succeeds(command: string, ...args: readonly string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync(command, args, { stdio: "ignore", env }).status === 0;
}
