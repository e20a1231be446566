/** All fields of the query and the mutation of GraphQL, by name: the index of this folder. */
import { ACCOUNT_FIELDS } from "./account.ts";
import { CATALOG_FIELDS } from "./catalog.ts";
import { ENDPOINT_FIELDS } from "./endpoints.ts";
import { POD_FIELDS } from "./pods.ts";
import { REGISTRY_AUTH_FIELDS } from "./registry-auths.ts";
import { TEMPLATE_FIELDS } from "./templates.ts";

/** Each is called with its arguments and who asks. */
export const ROOT: object = {
  ...ACCOUNT_FIELDS,
  ...CATALOG_FIELDS,
  ...POD_FIELDS,
  ...TEMPLATE_FIELDS,
  ...ENDPOINT_FIELDS,
  ...REGISTRY_AUTH_FIELDS,
};
