/** All fields of the query and the mutation of GraphQL, by name: the index of this folder. */
import { ACCOUNT_FIELDS } from "./account/graphql.ts";
import { CATALOG_FIELDS } from "./catalog/graphql.ts";
import { ENDPOINT_FIELDS } from "./endpoints/graphql.ts";
import { POD_FIELDS } from "./pods/graphql.ts";
import { REGISTRY_AUTH_FIELDS } from "./registry-auths/graphql.ts";
import { TEMPLATE_FIELDS } from "./templates/graphql.ts";

/** Each is called with its arguments and who asks. */
export const ROOT: object = {
  ...ACCOUNT_FIELDS,
  ...CATALOG_FIELDS,
  ...POD_FIELDS,
  ...TEMPLATE_FIELDS,
  ...ENDPOINT_FIELDS,
  ...REGISTRY_AUTH_FIELDS,
};
