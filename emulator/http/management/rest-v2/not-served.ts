/**
 * Resources of the second version of REST that are not emulated: lists are empty, every id is unknown (404), and creation is
 * refused (501 with a sentence).
 */
import { z } from "zod";
import type { QueryParameters } from "../../../core/input/query-parameters.ts";
import { type ErrorCode, ServiceError } from "../../../core/service-error.ts";
import { type Answer, jsonAnswer } from "../../operation/answers/answer.ts";
import type { EndpointPath, Operation } from "../../operation/operation.ts";
import { pathOf } from "../../operation/requests/url-path.ts";
import { json, type Tag } from "../../schemas/contract.ts";
import { pageOf, pageParameters, paginationSchema } from "./page.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

const CLUSTERS = {
  path: "/v2/clusters",
  why: "clusters of several machines are not emulated",
};
const BUILDS = {
  path: "/v2/serverless/:endpointId/builds",
  why: "images are not built from a repository here; build one and name it as image",
};
const DELEGATIONS = {
  path: "/v2/registries/delegations",
  why: "cloud registries are not asked for credentials here; store credentials with POST /live/v2/registries",
};
const SECRETS = {
  path: "/v2/account/secrets",
  why: "the account has no secrets; write their values into env",
};

/** Lists, which clients read before they know whether a resource exists. */
export const EMPTY_LIST_V2_OPERATIONS = {
  /** `GET /clusters`: clusters of several machines (live); the list is always empty (ours). */
  listClustersV2: emptyList(CLUSTERS.path, "pods", "clusters"),
  /** `GET /serverless/{id}/builds`: image builds of an endpoint from a repository (live); the list is always empty (ours). */
  listBuildsV2: {
    ...emptyList(BUILDS.path, "endpoints", "builds", ["endpoint_not_found"]),
    async perform(call) {
      call.service.engine.directory.endpoint(call.path.endpointId);
      return emptyPage("builds", call.query);
    },
  } satisfies Operation<EndpointPath>,
  /** `GET /registries/delegations`: cloud registries that hand out credentials (live); the list is always empty (ours). */
  listDelegationsV2: emptyList(DELEGATIONS.path, "container registry auths", "delegations"),
  /** `GET /account/secrets`: secrets of the account (live); the list is always empty (ours). */
  listSecretsV2: emptyList(SECRETS.path, "account", "secrets"),
};

/** Refuse all other operations on these paths. The OpenAPI document does not show them. */
export const NOT_SERVED_OPERATIONS: Readonly<Record<string, Operation>> = {
  clustersV2: refusing(CLUSTERS),
  buildsV2: refusing(BUILDS),
  delegationsV2: refusing(DELEGATIONS),
  secretsV2: refusing(SECRETS),
};

function emptyList(
  path: string,
  tag: Tag,
  list: string,
  errors: readonly ErrorCode[] = [],
): Operation {
  const page = z.strictObject({ [list]: z.array(z.never()), pagination: paginationSchema });
  return {
    methods: ["GET"],
    path,
    ...(!path.includes("/:endpointId") && { owner: "any" }),
    contract: {
      tag,
      query: z.object(pageParameters),
      answers: { 200: json("An empty page.", page) },
      errors: ["unprocessable", ...errors],
    },
    perform: async ({ query }) => emptyPage(list, query),
  };
}

function emptyPage(list: string, query: QueryParameters): Answer {
  const { shown, pagination } = pageOf([], query, () => ({ at: "", id: "" }));
  return jsonAnswer({ [list]: shown, pagination });
}

/** Matches the path with any method but GET, and everything below it. */
function refusing({ path, why }: typeof CLUSTERS): Operation<{ readonly "*"?: string }> {
  return {
    methods: METHODS.filter((method) => method !== "GET"),
    path,
    aliases: [{ methods: METHODS, path: `${path}/*` }],
    owner: "any",
    reads: true,
    isAudited: false,
    contract: { tag: "documentation", answers: {}, errors: ["not_served_yet", "not_found"] },
    async perform({ request, path: { "*": below } }) {
      const asked = pathOf(request);
      if (below !== undefined)
        throw new ServiceError("not_found", `there is nothing at ${asked}: ${why}`);
      throw new ServiceError("not_served_yet", `${request.method} ${asked} is not served: ${why}`);
    },
  };
}
