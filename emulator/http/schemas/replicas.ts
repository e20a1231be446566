/** Schemas of the emulators that share a store, for operators. */
import { z } from "zod";
import { answered, instant } from "./contract.ts";

const count = z.int().min(0);

const replicaSchema = answered("Replica", {
  id: z.string().meta({ description: "Changes with each start." }),
  address: z
    .string()
    .optional()
    .meta({ description: "Address for other replicas; absent if no replica shares the store." }),
  version: z.string().meta({ description: "Of sv-runtime." }),
  startedAt: instant(),
  leaseEndsAt: instant().optional().meta({
    description:
      "When its lease ends and others may take its partitions; service time of the answering replica.",
  }),
  clockAheadMs: z.int().optional().meta({
    description: "Lead of its machine's clock over the database's, ms; for information only.",
  }),
  partitions: z.array(count).optional().meta({ description: "The partitions that it owns." }),
  endpoints: count.meta({ description: "Number of endpoints in them." }),
  workers: count
    .optional()
    .meta({ description: "Number of its workers; absent if it did not answer." }),
  running: count
    .optional()
    .meta({ description: "Number of their present jobs, or requests to servers." }),
});

export const replicasSchema = answered("Replicas", {
  answeredBy: z.string().meta({ description: "Id of the answering replica." }),
  replicas: z.array(replicaSchema).meta({ description: "The live replicas." }),
  unowned: z.array(count).meta({ description: "Partitions without an owner." }),
});
