/** `GET /openapi.json`: the description of the interface as an OpenAPI 3.1 document, open without a key (live). */
import { z } from "zod";
import { json } from "../schemas/contract.ts";
import type { Operation } from "../operation.ts";

export const readDocument: Operation = {
  methods: ["GET"],
  path: "/v1/openapi.json",
  access: "anyone",
  contract: {
    tag: "documentation",
    answers: { 200: json("The document.", z.looseObject({ openapi: z.string() })) },
  },
  perform: async ({ document }) => ({ status: 200, pieces: [await document()] }),
};
