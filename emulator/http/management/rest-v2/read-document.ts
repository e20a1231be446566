/** `GET /v2/openapi.json`: the OpenAPI 3.1 document of the second version of REST, open without a key (live). */
import { z } from "zod";
import type { Operation } from "../../operation/operation.ts";
import { json } from "../../schemas/contract.ts";

export const readDocumentV2: Operation = {
  methods: ["GET"],
  path: "/v2/openapi.json",
  owner: "any",
  access: "anyone",
  contract: {
    tag: "documentation",
    answers: { 200: json("The document.", z.looseObject({ openapi: z.string() })) },
  },
  perform: async ({ document, service }) => ({ status: 200, pieces: [await document(service)] }),
};
