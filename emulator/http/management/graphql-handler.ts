/** `POST /graphql`: queries and mutations of older clients of the live service (live). */
import type { ExecutionResult } from "graphql";
import { z } from "zod";
import { type ErrorCode, invalidRequest, ServiceError } from "../../core/service-error.ts";
import type { Owned } from "../../engine/steps/state/endpoint-moved.ts";
import { jsonAnswer } from "../operation/answers/answer.ts";
import type { Refusal } from "../operation/dialect.ts";
import { liveText } from "../operation/dialects/live-texts.ts";
import { asRefusal } from "../operation/answers/refuse.ts";
import { isOwned } from "../replicas/find-owner.ts";
import type { Call, Operation } from "../operation/operation.ts";
import { readJsonBody } from "../operation/requests/json-body.ts";
import { answered, json } from "../schemas/contract.ts";
import { ACCOUNT_RESOLVERS } from "./account/graphql.ts";
import { CATALOG_RESOLVERS } from "./catalog/graphql.ts";
import { ENDPOINT_RESOLVERS } from "./endpoints/graphql.ts";
import { POD_RESOLVERS } from "./pods/graphql.ts";
import { REGISTRY_AUTH_RESOLVERS } from "./registry-auths/graphql.ts";
import { TEMPLATE_RESOLVERS } from "./templates/graphql.ts";
import { graphqlRequestSchema, readGraphqlRequest } from "./graphql/graphql-request.ts";
import { GraphqlCaller } from "./graphql/graphql-caller.ts";
import type { Prepared, RootField } from "./graphql/language/prepare.ts";

const answerSchema = answered("GraphqlAnswer", {
  errors: z.array(z.object({ message: z.string() })).optional(),
  data: z.record(z.string(), z.unknown()).nullable(),
});

/** All fields of the query and the mutation by name. Each is called with its arguments and the caller. */
const ROOT: object = {
  ...ACCOUNT_RESOLVERS,
  ...CATALOG_RESOLVERS,
  ...POD_RESOLVERS,
  ...TEMPLATE_RESOLVERS,
  ...ENDPOINT_RESOLVERS,
  ...REGISTRY_AUTH_RESOLVERS,
};

/** Errors in a document are answered with status 200, like errors of its fields (live). */
const OF_DOCUMENTS: ReadonlySet<ErrorCode> = new Set([
  "invalid_json",
  "invalid_request",
  "payload_too_large",
  "unsupported_encoding",
]);

const OK = 200;
const INTERNAL = 500;

/** Refusal before any field is resolved, for example for a wrong key, or because the service cannot answer. */
const graphqlRefusal: Refusal = (error) => ({
  status: OF_DOCUMENTS.has(error.code) ? OK : error.status,
  pieces: [JSON.stringify(refused([error]))],
});

export const askGraphql: Operation = {
  methods: ["POST"],
  path: "/graphql",
  owner: { findOwned },
  body: "read",
  // Public queries need no key; every other field does.
  access: "anyone",
  refusal: graphqlRefusal,
  contract: {
    tag: "endpoints",
    takes: graphqlRequestSchema,
    answers: { 200: json("The requested data, or the errors.", answerSchema) },
    errors: ["unauthorized"],
  },
  async perform(call) {
    const caller = new GraphqlCaller(call);
    const prepared = await prepareCall(call);
    refuseSeveralOwners(call, prepared);
    if (caller.hasKey) await call.service.ownership?.refreshRecords();
    return jsonAnswer(answerOf(call, await prepared.answer(ROOT, caller)));
  },
};

async function prepareCall({ request, response }: Call<unknown>): Promise<Prepared> {
  const asked = readGraphqlRequest(await readJsonBody(request, response));
  const { prepare } = await import("./graphql/language/prepare.ts");
  return prepare(asked);
}

/** The replica that answers refuses an invalid document. */
async function findOwned(call: Call<unknown>): Promise<Owned | undefined> {
  try {
    const [owned] = ownedBy((await prepareCall(call)).fields);
    return owned;
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/**
 * Refuses changes at several replicas: one replica answers a document and cannot change what another one owns.
 * @throws ServiceError invalid_request
 */
function refuseSeveralOwners({ service: { ownership } }: Call<unknown>, prepared: Prepared): void {
  if (ownership === undefined || !prepared.isMutation) return;
  const [, ...others] = ownedBy(prepared.fields);
  if (others.every((owned) => isOwned(ownership, owned))) return;
  const names = prepared.fields.map(({ name }) => name).join(", ");
  throw invalidRequest([`${names} belong to different replicas; send each in its own request`]);
}

/** @throws ServiceError if nothing could be done for a reason other than the request */
function answerOf(call: Call<unknown>, { data, errors = [] }: ExecutionResult): object {
  if (errors.length === 0) return { data };
  const refusals = errors.map(({ originalError, message }) =>
    originalError ? asRefusal(call, originalError) : invalidRequest([message]),
  );
  const failed = new Set(errors.map(({ path }) => path?.[0]));
  const isNothing = Object.entries(data ?? {}).every(
    ([field, value]) => value === null && failed.has(field),
  );
  if (!isNothing) return refused(refusals, data);
  const [first] = refusals;
  if (first !== undefined && first.status >= INTERNAL) throw first;
  return refused(refusals);
}

interface GraphqlErrors {
  readonly errors: readonly { readonly message: string }[];
  readonly data: unknown;
}

function refused(errors: readonly ServiceError[], data: unknown = null): GraphqlErrors {
  return { errors: errors.map((error) => ({ message: liveText(error).message })), data };
}

/** Pods run at one replica, which alone knows their addresses. */
const OF_PODS: ReadonlySet<string> = new Set([
  "deployCpuPod",
  "pod",
  "podFindAndDeployOnDemand",
  "podResume",
  "podStop",
  "podTerminate",
]);

/** In the order of the fields; fields that any replica can answer have no owner. */
function ownedBy(fields: readonly RootField[]): readonly Owned[] {
  return fields.flatMap((field) => ofField(field) ?? []);
}

function ofField({ name, args, below }: RootField): Owned | undefined {
  if (OF_PODS.has(name)) return "service";
  if (name === "myself" && below.has("pods")) return "service";
  const endpointId = endpointIn(name, args);
  return typeof endpointId === "string" && endpointId !== "" ? { endpointId } : undefined;
}

function endpointIn(name: string, { id, input }: RootField["args"]): unknown {
  if (name === "deleteEndpoint") return id;
  const given = (input ?? {}) as Readonly<Record<string, unknown>>;
  if (name === "saveEndpoint") return given["id"];
  return name === "updateEndpointTemplate" ? given["endpointId"] : undefined;
}
