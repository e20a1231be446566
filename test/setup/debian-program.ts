/** Programs that tests call, installed from Debian where that is possible. */
import { aptInstall, succeeds } from "./apt-get.ts";

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
  if (aptInstall(packages) && missing.every(works)) return undefined;
  const names = missing.map(({ name }) => name).join(" and ");
  const reason = `${names} does not work here, and apt-get cannot install it; this takes root on Debian`;
  if (process.env["CI"] === "true") throw new Error(reason);
  console.warn(`${tests} are left out: ${reason}`);
  return reason;
}

function works({ probe: [command, ...args] }: DebianProgram): boolean {
  return succeeds(command, ...args);
}
