/** Operations on container registry auths. */
import { z } from "zod";
import {
  readRegistryAuthInput,
  registryAuthInputSchema,
} from "../../../core/resources/registry-auths/registry-auth-input.ts";
import type { RegistryAuth } from "../../../core/resources/registry-auths/registry-auth.ts";
import {
  createRegistryAuth,
  deleteRegistryAuth,
  listRegistryAuths,
  readRegistryAuth,
} from "../../../engine/resources/manage-registry-auths.ts";
import { answered } from "../../schemas/contract.ts";
import { Resource } from "../v1/resource.ts";

const registryAuthSchema = answered("ContainerRegistryAuth", {
  id: z.string(),
  name: z.string(),
});

const auth = new Resource({
  tag: "container registry auths",
  path: "/v1/containerregistryauth",
  id: "containerRegistryAuthId",
  name: "The auth, without its credentials",
  schema: registryAuthSchema,
  show: ({ id, name }: RegistryAuth) => ({ id, name }),
});

export const REGISTRY_AUTH_OPERATIONS = {
  /** `POST /containerregistryauth`: stores the credentials of a registry, encrypted (spec). */
  createRegistryAuth: auth.creation(
    {
      takes: registryAuthInputSchema,
      errors: ["registry_auth_name_taken", "secrets_unusable", "storage_full"],
    },
    (engine, body) => createRegistryAuth(engine, readRegistryAuthInput(body)),
  ),
  /** `GET /containerregistryauth`: all container registry auths as a bare array (live). */
  listRegistryAuths: auth.listing("In order of their names.", async (engine) =>
    listRegistryAuths(engine),
  ),
  /** `GET /containerregistryauth/{id}`: one container registry auth (live). */
  readRegistryAuth: auth.reading(["registry_auth_not_found"], async (engine, id) =>
    readRegistryAuth(engine, id),
  ),
  /** `DELETE /containerregistryauth/{id}`: deletes a container registry auth that no template uses (spec). */
  deleteRegistryAuth: auth.deletion(
    ["registry_auth_not_found", "in_use", "storage_full"],
    deleteRegistryAuth,
  ),
};
