/**
 * `GET /openapi.json`: the OpenAPI 3.1 document of the interface, open without a key (live); a key adds schemas of handlers
 * (ours).
 */
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
  // Only a key that may list endpoints gets their names.
  async perform({ document, service, request }) {
    const known = hasKeyFor(service, request, LISTING) ? service.engine.schemas : undefined;
    const pieces = [await document(service, known)];
    return { status: 200, pieces, headers: { vary: "authorization" } };
  },
};
