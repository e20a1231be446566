/** Variables by which images of the live service start servers beside a pod's program (live). Pure. */
import type { NewerTemplateFields } from "../resources/templates/template.ts";

export interface ServerSecrets {
  /** Public keys of the account. */
  readonly sshKeys: readonly string[];
  readonly password: string;
}

/** @param wanted the servers to start */
export function serverVariables(
  { startSsh, startJupyter }: Pick<NewerTemplateFields, "startSsh" | "startJupyter">,
  { sshKeys, password }: ServerSecrets,
): Readonly<Record<string, string>> {
  return {
    ...(startSsh === true && { PUBLIC_KEY: sshKeys.join("\n") }),
    ...(startJupyter === true && { JUPYTER_PASSWORD: password }),
  };
}
