/** `POST /graphql`, which clients of the live service manage it by and which is not served yet: says so as they read it (live). */
import { z } from "zod";
import { admit, bareKey } from "../access/admission.ts";
import { jsonAnswer } from "../answers/answer.ts";
import { answered, json } from "../schemas/contract.ts";
import { readJsonBody } from "../requests/json-body.ts";
import type { Operation } from "../operation.ts";
import { askedField } from "./graphql-fields.ts";

const refusedSchema = answered("GraphqlRefusal", {
  errors: z.array(z.object({ message: z.string() })),
  data: z.null(),
});

export const askGraphql: Operation = {
  methods: ["POST"],
  path: "/graphql",
  owner: "any",
  body: "read",
  // Public queries come without a key; no one is told more than what is not there.
  access: "anyone",
  contract: {
    tag: "endpoints",
    takes: z.looseObject({ query: z.string().optional() }),
    answers: { 200: json("What is not served, and what does the same.", refusedSchema) },
    errors: ["unauthorized"],
  },
  async perform({ service, request, response, dialect: { basePath } }) {
    if (bareKey(request.headers.authorization) !== undefined) admit(service, request);
    const asked = askedField(documentIn(await readJsonBody(request, response)));
    const what = asked === undefined ? "" : `, so ${asked.name} is not`;
    const instead = (asked?.instead ?? "").replaceAll("{v1}", `${basePath}/v1`);
    const message = `GraphQL is not served here yet${what}; ${sameBy(instead, basePath)}`;
    return jsonAnswer({ errors: [{ message }], data: null });
  },
};

/** Says of operations of the first version of REST that they do the same. */
function sameBy(operations: string, basePath: string): string {
  const verb = operations.includes(" and ") ? "do" : "does";
  const doer = operations === "" ? `nothing below ${basePath}/v1` : operations;
  return `${doer} ${verb} the same`;
}

function documentIn(body: unknown): string {
  const isObject = typeof body === "object" && body !== null && "query" in body;
  return isObject && typeof body.query === "string" ? body.query : "";
}
