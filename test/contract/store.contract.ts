/** The contract of the store: the duties of every adapter. Run against each of them by `store.test.ts`. */
import { describe } from "vitest";
import { chunksContract } from "./store/chunks.contract.ts";
import { deliveriesContract } from "./store/deliveries.contract.ts";
import { durabilityContract } from "./store/durability.contract.ts";
import { flushContract } from "./store/flush.contract.ts";
import { jobSearchContract } from "./store/job-search.contract.ts";
import { jobsContract } from "./store/jobs.contract.ts";
import { payloadsContract } from "./store/payloads.contract.ts";
import { reportsContract } from "./store/reports.contract.ts";
import type { OpenSubject } from "./store/subject.ts";

export interface Adapter {
  readonly name: string;
  readonly open: OpenSubject;
  /** True if stored data survives a restart. */
  readonly durable: boolean;
}

export function storeContract({ name, open, durable }: Adapter): void {
  describe(`the ${name} store: batches`, () => flushContract(open));
  describe(`the ${name} store: jobs`, () => jobsContract(open));
  describe(`the ${name} store: jobs by a filter`, () => jobSearchContract(open));
  describe(`the ${name} store: payloads and records`, () => payloadsContract(open));
  describe(`the ${name} store: chunks`, () => chunksContract(open));
  describe(`the ${name} store: deliveries`, () => deliveriesContract(open));
  describe(`the ${name} store: reports`, () => reportsContract(open));
  if (durable) describe(`the ${name} store: durability`, () => durabilityContract(open));
}
