/** Creates, lists, reads and deletes container registry auths; their credentials are stored encrypted. */
import type { RegistryAuthInput } from "../../core/resources/registry-auths/registry-auth-input.ts";
import type { Pod } from "../../core/pods/pod.ts";
import type {
  RegistryAuth,
  RegistryCredentials,
} from "../../core/resources/registry-auths/registry-auth.ts";
import type { Template } from "../../core/resources/templates/template.ts";
import { ServiceError } from "../../core/service-error.ts";
import type { StepPort } from "../steps/step-port.ts";
import { sealSecret, type SecretPort } from "./secret-box.ts";
import { refuseIfUsed } from "./in-use.ts";

/** Ids have 25 characters (live). */
const ID_PREFIX = "cl";
const ID_RANDOM_LENGTH = 23;

/** @throws ServiceError registry_auth_name_taken, secrets_unusable, storage_full */
export async function createRegistryAuth(
  engine: StepPort & SecretPort,
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
export function listRegistryAuths(engine: StepPort): readonly RegistryAuth[] {
  const auths = engine.steps.records.all("registryAuth");
  return auths.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** @throws ServiceError registry_auth_not_found */
export function readRegistryAuth(engine: StepPort, id: string): RegistryAuth {
  const auth = engine.steps.records.find("registryAuth", id);
  if (!auth) throw registryAuthNotFound(id);
  return auth;
}

/**
 * Replaces its credentials; images pulled from now on use them.
 * @throws ServiceError registry_auth_not_found, secrets_unusable, storage_full
 */
export async function updateRegistryAuth(
  engine: StepPort & SecretPort,
  id: string,
  credentials: RegistryCredentials,
): Promise<RegistryAuth> {
  return engine.steps.commit((step) => {
    const auth = step.record("registryAuth", id);
    if (!auth) throw registryAuthNotFound(id);
    const sealed = sealSecret(engine, id, JSON.stringify(credentials));
    const changed: RegistryAuth = { ...auth, sealed };
    step.putRecord("registryAuth", id, changed);
    return changed;
  });
}

/**
 * @param ofTemplates `lost`: templates that name it lose it, without a new version (live)
 * @throws ServiceError registry_auth_not_found; in_use while a pod names it, or a template that may not lose it; storage_full
 */
export async function deleteRegistryAuth(
  engine: StepPort,
  id: string,
  ofTemplates: "kept" | "lost" = "kept",
): Promise<void> {
  await engine.steps.commit((step) => {
    const auth = step.record("registryAuth", id);
    if (!auth) throw registryAuthNotFound(id);
    const isUser = (user: Pod | Template) => user.containerRegistryAuthId === id;
    const what = `the container registry auth "${auth.name}"`;
    refuseIfUsed(step, what, { ...(ofTemplates === "kept" && { template: isUser }), pod: isUser });
    for (const template of step.records("template").filter(isUser)) {
      const { containerRegistryAuthId: _, ...rest } = template;
      step.putRecord("template", template.id, rest);
    }
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
