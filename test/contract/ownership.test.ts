/** Runs the contract of ownership against every store that replicas can share. */
import { describe, inject } from "vitest";
import { postgresIsMissing } from "../setup/postgres.ts";
import { ownershipContract } from "./ownership.contract.ts";
import { sharedSubjects } from "./ownership/postgres-shared.ts";

describe.skipIf(postgresIsMissing !== undefined)(
  "replicas that share a PostgreSQL database",
  () => {
    ownershipContract(sharedSubjects(inject("sharedPostgres")));
  },
);
