/** `GET /openapi.json`: the description of the interface as an OpenAPI 3.1 document, open without a key (live), with one also of handlers (ours). */
import { z } from "zod";
import { hasKey } from "../access/admission.ts";
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
  // Without a key nobody learns which endpoints there are.
  perform: async ({ document, service, request }) => ({
    status: 200,
    pieces: [await document(hasKey(service, request) ? service.engine.schemas : undefined)],
    headers: { vary: "authorization" },
  }),
};
