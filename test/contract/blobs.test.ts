/** Runs the contract of large payloads against our own S3 server. */
import { openS3Blobs } from "../../emulator/store/blobs/s3-blobs.ts";
import { addressOn, startOwnS3 } from "../setup/own-s3.ts";
import { blobsContract } from "./blobs.contract.ts";

blobsContract("in a bucket of our own S3 server", async () => {
  const s3 = await startOwnS3();
  return {
    open: (prefix) => openS3Blobs(addressOn(s3, prefix), { env: {} }),
    [Symbol.asyncDispose]: () => s3[Symbol.asyncDispose](),
  };
});
