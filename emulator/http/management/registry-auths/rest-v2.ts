/** Operations on container registry auths in the second version of REST. */
import { z } from "zod";
import { registryAuthInputSchema } from "../../../core/resources/registry-auths/registry-auth-input.ts";
import type { RegistryAuth } from "../../../core/resources/registry-auths/registry-auth.ts";
import {
  createRegistryAuth,
  deleteRegistryAuth,
  listRegistryAuths,
  readRegistryAuth,
} from "../../../engine/resources/manage-registry-auths.ts";
import { answered } from "../../schemas/contract.ts";
import { Collection } from "../rest-v2/collection.ts";

const registry = new Collection({
  tag: "container registry auths",
  path: "/v2/registries",
  id: "registryId",
  list: "registries",
  name: "The registry, without its credentials",
  schema: answered("Registry", { id: z.string(), name: z.string() }),
  // The time of creation is not stored.
  placeOf: ({ id }) => ({ at: "", id }),
  show: ({ id, name }: RegistryAuth) => ({ id, name }),
});

export const REGISTRY_V2_OPERATIONS = {
  /** `GET /registries`: the registries with stored credentials (live). */
  listRegistriesV2: registry.listing(async ({ service }) => listRegistryAuths(service.engine)),
  /** `POST /registries`: stores the credentials of a registry, encrypted (live). */
  createRegistryV2: registry.creation(
    {
      takes: registryAuthInputSchema,
      errors: ["registry_auth_name_taken", "secrets_unusable", "storage_full"],
    },
    ({ service }, body) => createRegistryAuth(service.engine, body),
  ),
  /** `GET /registries/{id}`: one registry (live). */
  readRegistryV2: registry.reading(["registry_auth_not_found"], async ({ service }, id) =>
    readRegistryAuth(service.engine, id),
  ),
  /** `DELETE /registries/{id}`: deletes the credentials of a registry that no pod uses; templates lose them (live). */
  deleteRegistryV2: registry.deletion(
    ["registry_auth_not_found", "in_use", "storage_full"],
    (engine, id) => deleteRegistryAuth(engine, id, "lost"),
  ),
};
