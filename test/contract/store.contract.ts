/** The contract of the store port: what every adapter must do. Run against each of them by `store.test.ts`. */
import { describe } from "vitest";
import { deliveriesContract } from "./store/deliveries.contract.ts";
import { durabilityContract } from "./store/durability.contract.ts";
import { jobsContract } from "./store/jobs.contract.ts";
import { chunksContract } from "./store/chunks.contract.ts";
import { payloadsContract } from "./store/payloads.contract.ts";
import { randomHistoryContract } from "./store/random-history.contract.ts";
import { listingContract } from "./store/listing.contract.ts";
import type { OpenSubject } from "./store/subject.ts";
import { transactionsContract } from "./store/transactions.contract.ts";

export interface Adapter {
  readonly name: string;
  readonly open: OpenSubject;
  /** True if what was committed is there after the store was closed and opened again. */
  readonly durable: boolean;
}

export function storeContract({ name, open, durable }: Adapter): void {
  describe(`the ${name} store: transactions`, () => transactionsContract(open));
  describe(`the ${name} store: jobs`, () => jobsContract(open));
  describe(`the ${name} store: pages of jobs`, () => listingContract(open));
  describe(`the ${name} store: payloads and records`, () => payloadsContract(open));
  describe(`the ${name} store: chunks`, () => chunksContract(open));
  describe(`the ${name} store: deliveries`, () => deliveriesContract(open));
  describe(`the ${name} store: random histories`, () => randomHistoryContract(open));
  if (durable) describe(`the ${name} store: durability`, () => durabilityContract(open));
}
