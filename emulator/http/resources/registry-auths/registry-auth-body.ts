/** A container registry auth as the management interface shows it: without its credentials (spec). */
import type { RegistryAuth } from "../../../core/resources/registry-auth.ts";

export function registryAuthBody({ id, name }: RegistryAuth): Pick<RegistryAuth, "id" | "name"> {
  return { id, name };
}
