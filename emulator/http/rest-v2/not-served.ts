/** What the second version of REST has on the live service and that is not served here: each is refused with 501 and a sentence. */
import { ServiceError } from "../../core/service-error.ts";
import type { Operation } from "../operation.ts";
import { pathOf } from "../requests/url-path.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** What takes the place of those operations; the document does not show them. */
export const NOT_SERVED_OPERATIONS: Readonly<Record<string, Operation>> = {
  clustersV2: refusing("/v2/clusters", "clusters of several machines are not emulated"),
  buildsV2: refusing(
    "/v2/serverless/:endpointId/builds",
    "images are not built of a repository here; build one and name it as image",
  ),
  delegationsV2: refusing(
    "/v2/registries/delegations",
    "no registry of a cloud is asked for credentials here; keep those of a registry by POST /live/v2/registries",
  ),
  secretsV2: refusing(
    "/v2/account/secrets",
    "the account keeps no secrets; write their values into env",
  ),
};

/** At the path and all below it. */
function refusing(path: string, why: string): Operation {
  return {
    methods: METHODS,
    path,
    aliases: [{ methods: METHODS, path: `${path}/*` }],
    owner: "any",
    reads: true,
    isAudited: false,
    contract: { tag: "documentation", answers: {}, errors: ["not_served_yet"] },
    async perform({ request }) {
      const message = `${request.method} ${pathOf(request)} is not served: ${why}`;
      throw new ServiceError("not_served_yet", message);
    },
  };
}
