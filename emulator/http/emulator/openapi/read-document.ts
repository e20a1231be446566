/** `GET /openapi.json`: the description of the interface as an OpenAPI 3.1 document, open without a key (live), with one also of handlers (ours). */
import { z } from "zod";
import { hasKeyFor } from "../../operation/access/admission.ts";
import { json } from "../../schemas/contract.ts";
import type { Operation } from "../../operation/operation.ts";

const LISTING = { part: "resources", reads: true } as const;

export const readDocument: Operation = {
  methods: ["GET"],
  path: "/v1/openapi.json",
  owner: "any",
  access: "anyone",
  contract: {
    tag: "documentation",
    answers: { 200: json("The document.", z.looseObject({ openapi: z.string() })) },
  },
  // Only who may list the endpoints learns which there are.
  perform: async ({ document, service, request }) => ({
    status: 200,
    pieces: [
      await document(hasKeyFor(service, request, LISTING) ? service.engine.schemas : undefined),
    ],
    headers: { vary: "authorization" },
  }),
};
