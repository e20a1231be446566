/** Replaces the references to environment variables in a config by their values. */
import { closestName } from "../../../runtime/protocol/did-you-mean.ts";
import type { Environment } from "../serve/setting-values.ts";
import type { ConfigProblem } from "./config-text.ts";
import { type FromEnv, isFromEnv } from "./fields.ts";

/** Environment variables with their values, and the source variables of secret ones. */
export interface ResolvedEnv {
  readonly env: Readonly<Record<string, string>>;
  readonly envSources?: Readonly<Record<string, string>>;
}

/** Resolves references, and collects a problem for each missing variable. */
export class References {
  readonly problems: ConfigProblem[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Empty if the variable is missing. */
  valueOf(written: string | FromEnv, path: readonly PropertyKey[]): string {
    if (!isFromEnv(written)) return written;
    const found = this.#environment[written.fromEnv];
    // Shells make empty variables from unset ones.
    if (found !== undefined && found !== "") return found;
    const near = closestName(written.fromEnv, Object.keys(this.#environment));
    const hint = near === undefined ? "" : `; did you mean ${near}?`;
    const sentence = `${path.join(".")} is taken from the environment variable ${written.fromEnv}, which is not set${hint}`;
    this.problems.push({ path, sentence });
    return "";
  }

  envOf(
    written: Readonly<Record<string, string | FromEnv>>,
    path: readonly PropertyKey[],
  ): ResolvedEnv {
    const entries = Object.entries(written);
    const env = entries.map(([name, each]) => [name, this.valueOf(each, [...path, name])]);
    const sources = entries.flatMap(([name, each]) =>
      isFromEnv(each) ? [[name, each.fromEnv]] : [],
    );
    return {
      env: Object.fromEntries(env) as Record<string, string>,
      ...(sources.length > 0 && {
        envSources: Object.fromEntries(sources) as Record<string, string>,
      }),
    };
  }
}
