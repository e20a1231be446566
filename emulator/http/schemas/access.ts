/** Schemas of operations on keys and of the audit. */
import { z } from "zod";
import { MADE_SCOPES } from "../../core/access/api-key.ts";
import { answered, instant } from "./contract.ts";

const key = {
  id: z.string(),
  name: z.string(),
  scope: z.enum(MADE_SCOPES),
  endpointIds: z.array(z.string()).optional(),
  createdAt: instant(),
  expiresAt: instant().optional(),
  lastUsedAt: instant().optional().meta({ description: "Since the start of the service." }),
};

export const keysSchema = answered("ApiKeys", { keys: z.array(answered("ApiKey", key)) });

export const madeKeySchema = answered("MadeApiKey", {
  ...key,
  key: z.string().meta({ description: "The key itself. Only a digest of it is kept." }),
  workerAddresses: z.array(z.string()).optional().meta({
    description:
      "With the scope `workers`: the value of `SV_SERVICE_ADDRESS` for workers; absent without a port for them.",
  }),
});

export const auditSchema = answered("Audit", {
  entries: z.array(
    answered("AuditEntry", {
      at: instant().meta({ description: "Service time." }),
      id: z.string(),
      keyId: z.string(),
      keyName: z.string(),
      client: z.string().meta({ description: "The address the request came from." }),
      operation: z.string().meta({ description: "An `operationId` of this document." }),
      subject: z.string().meta({ description: "Subject of the request; may be empty." }),
      status: z.int().meta({ description: "The HTTP status of the answer." }),
    }),
  ),
  next: z.string().optional().meta({ description: "The `after` of the next page." }),
});
