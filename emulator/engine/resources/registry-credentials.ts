/** Decrypts the credentials of a container registry auth for a launcher that pulls an image. */
import type { RegistryCredentials } from "../../core/resources/registry-auths/registry-auth.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TellPort } from "../observe/tell-port.ts";
import { type SecretPort, unsealSecret } from "./secret-box.ts";
import { readRegistryAuth } from "./manage-registry-auths.ts";

/**
 * Never log or answer them.
 * @throws ServiceError registry_auth_not_found; secrets_unusable if the key is missing or wrong, or the record was changed
 */
export async function registryCredentials(
  engine: StepPort & SecretPort,
  id: string,
): Promise<RegistryCredentials> {
  const { name, sealed } = readRegistryAuth(engine, id);
  const what = `the credentials of the container registry auth "${name}" (${id})`;
  return JSON.parse(unsealSecret(engine, id, sealed, what)) as RegistryCredentials;
}

/** Logs stored credentials that cannot be decrypted, before they are needed. */
export async function checkCredentials(engine: StepPort & TellPort & SecretPort): Promise<void> {
  for (const { id, name } of engine.steps.records.inOrder("registryAuth")) {
    try {
      await registryCredentials(engine, id);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const remedy = "bring the right key back, or delete the auth and create it anew";
      engine.log.error({ containerRegistryAuthId: id, name }, `${reason}; ${remedy}`);
    }
  }
}
