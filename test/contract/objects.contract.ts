/** The contract of the object store's port, for every kind of bucket. */
import { describe } from "vitest";
import { listingContract } from "./objects/listing.contract.ts";
import { objectsContract } from "./objects/objects.contract.ts";
import type { OpenBucket } from "./objects/subject.ts";
import { uploadsContract } from "./objects/uploads.contract.ts";

export function bucketContract(name: string, open: OpenBucket): void {
  describe(`${name}: objects`, () => objectsContract(open));
  describe(`${name}: listing`, () => listingContract(open));
  describe(`${name}: multipart uploads`, () => uploadsContract(open));
}
