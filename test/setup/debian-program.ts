/** Programs that tests call, installed from Debian where that is possible. */
import { spawnSync } from "node:child_process";

export interface DebianProgram {
  readonly name: string;
  /** The Debian package it comes in. */
  readonly package: string;
  /** A call that succeeds where the program works. */
  readonly probe: readonly [string, ...string[]];
}

/**
 * Why the tests that need the programs are left out here; undefined where all work. Under CI they are never left out.
 *
 * @throws Error under CI, where one does not work
 */
export function whatIsMissing(
  tests: string,
  programs: readonly DebianProgram[],
): string | undefined {
  const missing = programs.filter((program) => !works(program));
  const packages = missing.map((program) => program.package);
  if (packages.length === 0) return undefined;
  if (mayInstall() && install(packages) && missing.every(works)) return undefined;
  const names = missing.map(({ name }) => name).join(" and ");
  const reason = `${names} does not work here, and apt-get cannot install it; this takes root on Debian`;
  if (process.env["CI"] === "true") throw new Error(reason);
  console.warn(`${tests} are left out: ${reason}`);
  return reason;
}

function works({ probe: [command, ...args] }: DebianProgram): boolean {
  return succeeds(command, ...args);
}

function mayInstall(): boolean {
  return process.getuid?.() === 0 && succeeds("apt-get", "--version");
}

function install(packages: readonly string[]): boolean {
  console.log(`set-up: installing ${packages.join(" and ")} (apt-get)`);
  const installAll = () => succeeds("apt-get", "install", "-y", "-qq", ...packages);
  return installAll() || (succeeds("apt-get", "update", "-qq") && installAll());
}

function succeeds(command: string, ...args: readonly string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync(command, args, { stdio: "ignore", env }).status === 0;
}
