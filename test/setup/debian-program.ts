/** Programs that tests call, installed from Debian if possible. */
import { aptInstall, succeeds } from "./apt-get.ts";
import { type ProgramName, PROGRAMS } from "./programs.ts";
import { partsAreRequired } from "./required-parts.ts";

/**
 * Reason that tests with the programs are left out here; undefined if all programs work. Under CI on Linux they
 * are never left out.
 * @throws Error under CI on Linux, if one does not work
 */
export function whatIsMissing(tests: string, programs: readonly ProgramName[]): string | undefined {
  const missing = programs.filter((program) => !works(program));
  const packages = new Set(missing.map((program) => PROGRAMS[program].package));
  if (packages.size === 0) return undefined;
  const lacking = aptInstall([...packages])
    ? missing.filter((program) => !works(program))
    : missing;
  if (lacking.length === 0) return undefined;
  const calls = lacking.map((program) => `"${probeOf(program).join(" ")}"`).join(" and ");
  const reason = `${calls} does not work here, and apt-get cannot install it; this takes root on Debian`;
  if (partsAreRequired()) throw new Error(reason);
  console.warn(`${tests} are left out: ${reason}`);
  return reason;
}

function works(program: ProgramName): boolean {
  return succeeds(...probeOf(program));
}

function probeOf(program: ProgramName): readonly [string, ...string[]] {
  return PROGRAMS[program].probe ?? [program, "--version"];
}
