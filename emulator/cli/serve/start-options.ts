/** Gathers the options of a start: variables from files, targets and configs. */
import { resolve } from "node:path";
import type { FoundHandlers } from "../../index.ts";
import { EnvironmentFiles } from "../config/environment-files.ts";
import type { FileVariable } from "../config/read-env-files.ts";
import type { Flags } from "./settings.ts";
import type { Environment } from "./setting-values.ts";
import { resolveTargets, type Served } from "./targets.ts";

export interface StartOptions extends Served {
  /** The environment of the process with the variables of env files. */
  readonly environment: Environment;
  /** The variables of env files, by name. */
  readonly fileVariables: ReadonlyMap<string, FileVariable>;
  /**
   * Reads targets and env files again. Changed variables of env files change the `env` of handlers.
   *
   * @throws UsageError
   */
  again(): Promise<FoundHandlers>;
}

/** Environment variable of workers: number of changes of the env files since the service started. */
const REVISION = "SV_ENV_REVISION";

/**
 * Adds variables of the env files that `environment` does not define. Configs that are programs, and workers, get them from there.
 *
 * @throws UsageError
 */
export async function gatherStartOptions(
  { targets, flags }: { readonly targets: readonly string[]; readonly flags: Flags },
  cwd: string,
  environment: Record<string, string | undefined>,
): Promise<StartOptions> {
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

/** Adds the number of changes to a handler's variables. Workers get variables at their start, so a change needs new workers. */
function atRevision<T extends Served["handlers"][number]>(handler: T, revision: number): T {
  if (revision === 0) return handler;
  return { ...handler, env: { ...handler.env, [REVISION]: String(revision) } };
}
