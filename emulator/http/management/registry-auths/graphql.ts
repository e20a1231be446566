/** Container registry auths in GraphQL. */
import {
  readRegistryAuthInput,
  readRegistryCredentials,
} from "../../../core/resources/registry-auths/registry-auth-input.ts";
import {
  createRegistryAuth,
  deleteRegistryAuth,
  updateRegistryAuth,
} from "../../../engine/resources/manage-registry-auths.ts";
import type { GraphqlCaller } from "../graphql/graphql-caller.ts";
import { given, type Input, textOf } from "../graphql/input.ts";

export const REGISTRY_AUTH_RESOLVERS = {
  /** Stores the credentials of a registry, encrypted (live). */
  saveRegistryAuth: ({ input }: { readonly input?: Input | null }, caller: GraphqlCaller) =>
    caller.changes({ name: "saveRegistryAuth" }, (engine) =>
      createRegistryAuth(engine, readRegistryAuthInput(given(input))),
    ),
  /** Replaces the credentials of an auth; images pulled from now on use them (live). */
  updateRegistryAuth: ({ input }: { readonly input?: Input | null }, caller: GraphqlCaller) => {
    const { id, ...credentials } = given(input);
    const subject = textOf(id) ?? "";
    return caller.changes({ name: "updateRegistryAuth", subject }, (engine) =>
      updateRegistryAuth(engine, subject, readRegistryCredentials(credentials)),
    );
  },
  /** Deletes an auth that no pod uses; templates lose it (live). */
  deleteRegistryAuth: async (
    { registryAuthId: subject }: { readonly registryAuthId: string },
    caller: GraphqlCaller,
  ) => {
    await caller.changes({ name: "deleteRegistryAuth", subject }, (engine) =>
      deleteRegistryAuth(engine, subject, "lost"),
    );
    return null;
  },
};
