/** The body that creates a container registry auth, checked (source: spec). */
import {
  fields,
  NAME_MAX_CHARACTERS,
  nonEmptyText,
  readFields,
  secretText,
} from "../../input/input-fields.ts";
import type { RegistryAuth, RegistryCredentials } from "./registry-auth.ts";

export type RegistryAuthInput = Pick<RegistryAuth, "name"> & RegistryCredentials;

const USERNAME_MAX_CHARACTERS = 1_024;
/** Maximum length: registries' tokens and key files have some thousand characters. */
const PASSWORD_MAX_CHARACTERS = 16_384;

const credentials = {
  username: secretText(USERNAME_MAX_CHARACTERS).meta({ writeOnly: true }),
  password: secretText(PASSWORD_MAX_CHARACTERS).meta({ writeOnly: true }),
};

/** The body of `POST /containerregistryauth`. */
export const registryAuthInputSchema = fields({
  name: nonEmptyText(NAME_MAX_CHARACTERS),
  ...credentials,
}).meta({ id: "ContainerRegistryAuthInput" });

/** @throws ServiceError `invalid_request`; it never shows a user name or password */
export function readRegistryAuthInput(value: unknown): RegistryAuthInput {
  return readFields(registryAuthInputSchema, Object.keys(registryAuthInputSchema.shape), value);
}

/**
 * Reads new credentials for an existing auth.
 * @throws ServiceError `invalid_request`; it never shows a user name or password
 */
export function readRegistryCredentials(value: unknown): RegistryCredentials {
  return readFields(fields(credentials), Object.keys(credentials), value);
}
