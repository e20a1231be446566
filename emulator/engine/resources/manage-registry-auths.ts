/** Creates, lists, reads and deletes container registry auths; their credentials are stored encrypted. */
import type { RegistryAuthInput } from "../../core/resources/registry-auth-input.ts";
import type { Pod } from "../../core/pods/pod.ts";
import type { RegistryAuth } from "../../core/resources/registry-auth.ts";
import type { Template } from "../../core/resources/template.ts";
import { ServiceError } from "../../core/service-error.ts";
import type { Uses } from "../context.ts";
import { refuseIfUsed } from "./in-use.ts";
import { sealSecret } from "./secret-box.ts";

/** Ids have 25 characters (live). */
const ID_PREFIX = "cl";
const ID_RANDOM_LENGTH = 23;

/** @throws ServiceError registry_auth_name_taken, secrets_unusable, storage_full */
export async function createRegistryAuth(
  engine: Uses<"random" | "secretKey" | "steps">,
  { name, ...credentials }: RegistryAuthInput,
): Promise<RegistryAuth> {
  const id = `${ID_PREFIX}${engine.random.shortId(ID_RANDOM_LENGTH)}`;
  return engine.steps.commit((step) => {
    for (const other of step.records("registryAuth")) {
      if (other.name === name) throw nameTaken(name);
    }
    const sealed = sealSecret(engine, id, JSON.stringify(credentials));
    const auth: RegistryAuth = { id, name, sealed };
    step.putRecord("registryAuth", id, auth);
    return auth;
  });
}

/** In order of name. */
export function listRegistryAuths(engine: Uses<"steps">): readonly RegistryAuth[] {
  const auths = engine.steps.records.all("registryAuth");
  return auths.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** @throws ServiceError registry_auth_not_found */
export function readRegistryAuth(engine: Uses<"steps">, id: string): RegistryAuth {
  const auth = engine.steps.records.find("registryAuth", id);
  if (!auth) throw registryAuthNotFound(id);
  return auth;
}

/** @throws ServiceError registry_auth_not_found; in_use while a template names it; storage_full */
export async function deleteRegistryAuth(engine: Uses<"steps">, id: string): Promise<void> {
  await engine.steps.commit((step) => {
    const auth = step.record("registryAuth", id);
    if (!auth) throw registryAuthNotFound(id);
    const isUser = (user: Pod | Template) => user.containerRegistryAuthId === id;
    const what = `the container registry auth "${auth.name}"`;
    refuseIfUsed(step, what, { template: isUser, pod: isUser });
    step.deleteRecord("registryAuth", id);
  });
}

function registryAuthNotFound(id: string): ServiceError {
  return new ServiceError("registry_auth_not_found", `there is no container registry auth "${id}"`);
}

function nameTaken(name: string): ServiceError {
  return new ServiceError(
    "registry_auth_name_taken",
    `there is already a container registry auth named "${name}"`,
  );
}
