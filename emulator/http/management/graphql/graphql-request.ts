/** The body of a GraphQL request: a document, and values for its variables. */
import { z } from "zod";
import { fields, must, readFields } from "../../../core/input/input-fields.ts";

/** Other members, such as `extensions`, are ignored. */
const shape = {
  query: z.string({ error: must("a GraphQL document") }),
  variables: z.record(z.string(), z.unknown(), { error: must("an object") }).nullish(),
  operationName: z.string({ error: must("a string") }).nullish(),
};

export const graphqlRequestSchema = fields(shape).loose().meta({ id: "GraphqlRequest" });

export interface GraphqlRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | undefined;
}

/** @throws ServiceError invalid_request */
export function readGraphqlRequest(body: unknown): GraphqlRequest {
  const { query, variables, operationName } = readFields(
    graphqlRequestSchema,
    Object.keys(shape),
    body,
  );
  return { query, variables: variables ?? {}, operationName: operationName ?? undefined };
}
