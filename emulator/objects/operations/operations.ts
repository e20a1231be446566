/** The index of all operations, and the choice of a request's operation. */
import { S3Error } from "../s3-error.ts";
import * as buckets from "./buckets.ts";
import { completeMultipartUpload } from "./complete-upload.ts";
import * as listings from "./listings.ts";
import * as objects from "./objects.ts";
import type { Operation, S3Request } from "./operation.ts";
import * as uploads from "./uploads.ts";

/**
 * Operations by method, by target, and by the parameters of the query that select them. `copy` stands for the header of a copy. The
 * first match is taken.
 */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  "GET store": buckets.listBuckets,

  "GET bucket location": buckets.getBucketLocation,
  "GET bucket versioning": buckets.getBucketVersioning,
  "GET bucket uploads": listings.listMultipartUploads,
  "GET bucket": listings.listObjects,
  "HEAD bucket": buckets.headBucket,
  "PUT bucket": buckets.createBucket,
  "DELETE bucket": buckets.deleteBucket,
  "POST bucket delete": objects.deleteObjects,

  "GET object uploadId": listings.listParts,
  "GET object": objects.getObject,
  "HEAD object": objects.headObject,
  "PUT copy partNumber uploadId": uploads.uploadPartCopy,
  "PUT object partNumber uploadId": uploads.uploadPart,
  "PUT copy": objects.copyObject,
  "PUT object": objects.putObject,
  "POST object uploads": uploads.createMultipartUpload,
  "POST object uploadId": completeMultipartUpload,
  "DELETE object uploadId": uploads.abortMultipartUpload,
  "DELETE object": objects.deleteObject,
};

const ROWS = Object.entries(OPERATIONS).map(([row, operation]) => {
  const [method, of, ...parameters] = row.split(" ");
  return { method, of, parameters, operation };
});

/** Parameters that select another operation. The operation is not supported if no row names them. */
const MEANINGS: ReadonlySet<string> = new Set([
  "accelerate",
  "acl",
  "analytics",
  "attributes",
  "cors",
  "delete",
  "encryption",
  "intelligent-tiering",
  "inventory",
  "legal-hold",
  "lifecycle",
  "location",
  "logging",
  "metrics",
  "notification",
  "object-lock",
  "ownershipControls",
  "policy",
  "policyStatus",
  "publicAccessBlock",
  "replication",
  "requestPayment",
  "restore",
  "retention",
  "select",
  "tagging",
  "torrent",
  "uploads",
  "versioning",
  "versions",
  "website",
]);

/** Headers that ask for an unsupported feature. */
const UNKNOWN_HEADERS =
  /^x-amz-(?:server-side-encryption|copy-source-server-side-encryption|object-lock|tagging|website-redirect-location)/;

/** @throws S3Error NotImplemented, MethodNotAllowed */
export function operationOf(request: S3Request): Operation {
  const { method, bucket, key, query, headers } = request;
  const header = [...headers.keys()].find((name) => UNKNOWN_HEADERS.test(name));
  if (header !== undefined) throw notImplemented(`what the header ${header} asks for`);
  if ((query.get("versionId") ?? "null") !== "null") throw notImplemented("versions of objects");
  // A part number without an upload asks for a part of an object.
  if (query.has("partNumber") && !query.has("uploadId")) throw notImplemented("parts of objects");
  const isCopy = method === "PUT" && headers.has("x-amz-copy-source");
  const whole = bucket === "" ? "store" : "bucket";
  const of = key === "" ? whole : isCopy ? "copy" : "object";
  const row = ROWS.find(
    (each) =>
      each.method === method && each.of === of && each.parameters.every((name) => query.has(name)),
  );
  const meaning = [...query.keys()].find(
    (name) => MEANINGS.has(name) && row?.parameters.includes(name) !== true,
  );
  if (meaning !== undefined) throw notImplemented(`${method} with "${meaning}"`);
  if (row) return row.operation;
  throw new S3Error("MethodNotAllowed", `the method ${method} cannot be used here`, {
    Method: method,
  });
}

function notImplemented(what: string): S3Error {
  return new S3Error("NotImplemented", `this store does not support ${what}`);
}
