/** Runs the object store's contract against both kinds of buckets of the store on disk. */
import { bucketContract } from "./objects.contract.ts";
import { openOnDisk } from "./objects/disk-subject.ts";

bucketContract("a bucket of an endpoint", async () => openOnDisk("endpoint"));
bucketContract("a bucket of a volume", async () => openOnDisk("volume"));
