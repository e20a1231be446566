/** The emulators that share a store, as their operators are shown them. */
import { z } from "zod";
import { answered, instant } from "./contract.ts";

const count = z.int().min(0);

const replicaSchema = answered("Replica", {
  id: z.string().meta({ description: "Given anew at each start." }),
  address: z
    .string()
    .optional()
    .meta({ description: "Where the others reach it; absent where it has its store for itself." }),
  version: z.string().meta({ description: "Of sv-runtime." }),
  startedAt: instant(),
  leaseEndsAt: instant().optional().meta({
    description:
      "When others may take its partitions, if nothing more is heard of it; service time, as the replica that answers has seen it.",
  }),
  clockAheadMs: z.int().optional().meta({
    description:
      "By how much the clock of its machine is ahead of the database's, ms; nothing depends on it.",
  }),
  partitions: z
    .array(count)
    .optional()
    .meta({ description: "The partitions of the endpoints that it has." }),
  endpoints: count.meta({ description: "How many endpoints are in them." }),
  workers: count
    .optional()
    .meta({ description: "How many workers it has; absent where it did not answer." }),
  running: count
    .optional()
    .meta({ description: "How many jobs, or requests to servers, those have now." }),
});

export const replicasSchema = answered("Replicas", {
  answeredBy: z.string().meta({ description: "The id of the one that was asked." }),
  replicas: z.array(replicaSchema).meta({ description: "Those that are alive." }),
  unowned: z.array(count).meta({ description: "Partitions that nobody has." }),
});
