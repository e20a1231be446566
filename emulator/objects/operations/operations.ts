/** Which operation a request asks for: the index of all there are. */
import { S3Error } from "../s3-error.ts";
import { abortMultipartUpload } from "./abort-multipart-upload.ts";
import { completeMultipartUpload } from "./complete-multipart-upload.ts";
import { copyObject } from "./copy-object.ts";
import { createBucket } from "./create-bucket.ts";
import { createMultipartUpload } from "./create-multipart-upload.ts";
import { deleteBucket } from "./delete-bucket.ts";
import { deleteObject } from "./delete-object.ts";
import { deleteObjects } from "./delete-objects.ts";
import { getBucketLocation } from "./get-bucket-location.ts";
import { getBucketVersioning } from "./get-bucket-versioning.ts";
import { getObject } from "./get-object.ts";
import { headBucket } from "./head-bucket.ts";
import { headObject } from "./head-object.ts";
import { listBuckets } from "./list-buckets.ts";
import { listMultipartUploads } from "./list-multipart-uploads.ts";
import { listObjectsV2 } from "./list-objects-v2.ts";
import { listObjects } from "./list-objects.ts";
import { listParts } from "./list-parts.ts";
import type { Operation, S3Request } from "./operation.ts";
import { putObject } from "./put-object.ts";
import { uploadPartCopy } from "./upload-part-copy.ts";
import { uploadPart } from "./upload-part.ts";

interface Row {
  readonly method: string;
  readonly of: "store" | "bucket" | "object";
  /** Parameters of the query that make it this operation. */
  readonly parameters?: readonly string[];
  readonly isCopy?: true;
  readonly operation: Operation;
}

/** The first row that fits is taken. */
const ROWS: readonly Row[] = [
  { method: "GET", of: "store", operation: listBuckets },

  { method: "GET", of: "bucket", parameters: ["location"], operation: getBucketLocation },
  { method: "GET", of: "bucket", parameters: ["versioning"], operation: getBucketVersioning },
  { method: "GET", of: "bucket", parameters: ["uploads"], operation: listMultipartUploads },
  { method: "GET", of: "bucket", parameters: ["list-type"], operation: listObjectsV2 },
  { method: "GET", of: "bucket", operation: listObjects },
  { method: "HEAD", of: "bucket", operation: headBucket },
  { method: "PUT", of: "bucket", operation: createBucket },
  { method: "DELETE", of: "bucket", operation: deleteBucket },
  { method: "POST", of: "bucket", parameters: ["delete"], operation: deleteObjects },

  { method: "GET", of: "object", parameters: ["uploadId"], operation: listParts },
  { method: "GET", of: "object", operation: getObject },
  { method: "HEAD", of: "object", operation: headObject },
  {
    method: "PUT",
    of: "object",
    parameters: ["partNumber", "uploadId"],
    isCopy: true,
    operation: uploadPartCopy,
  },
  { method: "PUT", of: "object", parameters: ["partNumber", "uploadId"], operation: uploadPart },
  { method: "PUT", of: "object", isCopy: true, operation: copyObject },
  { method: "PUT", of: "object", operation: putObject },
  { method: "POST", of: "object", parameters: ["uploads"], operation: createMultipartUpload },
  { method: "POST", of: "object", parameters: ["uploadId"], operation: completeMultipartUpload },
  { method: "DELETE", of: "object", parameters: ["uploadId"], operation: abortMultipartUpload },
  { method: "DELETE", of: "object", operation: deleteObject },
];

/** Parameters that make of an operation another one: where its row does not name them, that one is not supported. */
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

/** Headers that ask for something that would be left undone. */
const UNKNOWN_HEADERS =
  /^x-amz-(?:server-side-encryption|copy-source-server-side-encryption|object-lock|tagging|website-redirect-location)/;

/** @throws S3Error NotImplemented, MethodNotAllowed */
export function operationOf(request: S3Request): Operation {
  const { method, bucket, key, query, headers } = request;
  const header = [...headers.keys()].find((name) => UNKNOWN_HEADERS.test(name));
  if (header !== undefined) throw notImplemented(`what the header ${header} asks for`);
  if ((query.get("versionId") ?? "null") !== "null") throw notImplemented("versions of objects");
  // Without an upload the number of a part asks for a part of an object.
  if (query.has("partNumber") && !query.has("uploadId")) throw notImplemented("parts of objects");
  const of = key === "" ? (bucket === "" ? "store" : "bucket") : "object";
  const isCopy = headers.has("x-amz-copy-source");
  const row = ROWS.find(
    (candidate) =>
      candidate.method === method &&
      candidate.of === of &&
      (candidate.isCopy !== true || isCopy) &&
      (candidate.parameters ?? []).every((name) => query.has(name)),
  );
  const meaning = [...query.keys()].find(
    (name) => MEANINGS.has(name) && row?.parameters?.includes(name) !== true,
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
