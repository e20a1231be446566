/** Gathers what a start is given: variables from files, targets and configs. */
import { resolve } from "node:path";
import type { FoundHandlers } from "../../index.ts";
import { EnvironmentFiles } from "../config/environment-files.ts";
import type { FileVariable } from "../config/read-env-files.ts";
import type { Flags } from "./settings.ts";
import type { Environment } from "./setting-values.ts";
import { resolveTargets, type Served } from "./targets.ts";

export interface StartInputs extends Served {
  /** That of the process with the variables of files. */
  readonly environment: Environment;
  /** The variables taken from files, by name. */
  readonly fileVariables: ReadonlyMap<string, FileVariable>;
  /**
   * Looks again, and takes the variables of files anew: handlers whose environment that changes are found with another
   * `env` than before.
   *
   * @throws UsageError
   */
  again(): Promise<FoundHandlers>;
}

/** In the environment of workers: how often the files of variables have changed while the service ran. */
const REVISION = "SV_ENV_REVISION";

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
  const { envFile = [] } = flags;
  const variables = new EnvironmentFiles(envFile, cwd, environment);
  await variables.take();
  const served = await resolveTargets(targets, cwd, environment);
  const files = envFile.map((file) => resolve(cwd, file));
  const again = async (): Promise<FoundHandlers> => {
    await variables.take();
    const found = await resolveTargets(targets, cwd, environment);
    return {
      handlers: found.handlers.map((handler) => atRevision(handler, variables.revision)),
      directories: found.directories,
      files: new Set([...found.files, ...files]),
    };
  };
  return { ...served, environment, fileVariables: variables.taken, again };
}

/** Workers have the variables of files from their own start, so that a change of these takes new workers. */
function atRevision<T extends Served["handlers"][number]>(handler: T, revision: number): T {
  if (revision === 0) return handler;
  return { ...handler, env: { ...handler.env, [REVISION]: String(revision) } };
}
