/** What the operations on keys and on the audit answer. */
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
  lastUsedAt: instant().optional().meta({ description: "Since the service was started." }),
};

export const keysSchema = answered("ApiKeys", { keys: z.array(answered("ApiKey", key)) });

export const madeKeySchema = answered("MadeApiKey", {
  ...key,
  key: z.string().meta({ description: "The key itself. Only a digest of it is kept." }),
  workerAddresses: z.array(z.string()).optional().meta({
    description:
      "With the scope `workers`: where workers connect, as `SV_SERVICE_ADDRESS` has it; none without a port for them.",
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
      subject: z.string().meta({ description: "What it was about; may be empty." }),
      status: z.int().meta({ description: "The HTTP status of the answer." }),
    }),
  ),
  next: z.string().optional().meta({ description: "The `after` of the next page." }),
});
