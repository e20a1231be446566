/** The contract of ownership, for every store that several replicas share. */
import { describe } from "vitest";
import { partitionsContract } from "./ownership/partitions.contract.ts";
import { recordsContract } from "./ownership/records.contract.ts";
import type { OpenShared } from "./ownership/shared-subject.ts";
import { storedContract } from "./ownership/stored.contract.ts";

export function ownershipContract(open: OpenShared): void {
  describe("partitions", () => partitionsContract(open));
  describe("stored data", () => storedContract(open));
  describe("records", () => recordsContract(open));
}
