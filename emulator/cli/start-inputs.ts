/** Gathers what a start is given: variables from files, targets and configs. */
import type { FileVariable } from "./config/env-files.ts";
import type { Environment, Flags } from "./settings.ts";
import { resolveTargets, type Served } from "./targets.ts";

export interface StartInputs extends Served {
  /** That of the process with the variables of files. */
  readonly environment: Environment;
  /** The variables taken from files, by name. */
  readonly fileVariables: ReadonlyMap<string, FileVariable>;
}

/**
 * Puts the variables of files into `environment` where it has none of the name: configs that are programs and the workers
 * see them there.
 *
 * @throws UsageError
 */
export async function gatherInputs(
  { targets, flags }: { readonly targets: readonly string[]; readonly flags: Flags },
  cwd: string,
  environment: Record<string, string | undefined>,
): Promise<StartInputs> {
  const fileVariables = new Map<string, FileVariable>();
  if (flags.envFile !== undefined) {
    const { readEnvFiles } = await import("./config/env-files.ts");
    for (const [name, variable] of await readEnvFiles(flags.envFile, cwd)) {
      // Node itself may have read the same file already: it takes the flag from any program's arguments.
      if (environment[name] !== undefined && environment[name] !== variable.value) continue;
      environment[name] = variable.value;
      fileVariables.set(name, variable);
    }
  }
  const served = await resolveTargets(targets, cwd, environment);
  return { ...served, environment, fileVariables };
}
