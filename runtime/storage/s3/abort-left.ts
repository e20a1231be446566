/** Ends an upload in parts that another process began and could not end. */
import type { OpenUpload } from "../../protocol/open-upload.ts";
import { Secret } from "../secret.ts";
import { withClient } from "./client.ts";
import { abortUpload } from "./multipart.ts";

/** Nobody waits for it but a worker that leaves. */
const LIMIT_MS = 6_000;

/** @throws what the client throws, when it does not succeed within a few tries */
export async function abortLeft(upload: OpenUpload): Promise<void> {
  const { uploadId, bucket, key, secretAccessKey, ...address } = upload;
  const settings = {
    ...{ kind: "s3" as const, bucket, source: "the handler process" },
    ...address,
    secretAccessKey: new Secret(secretAccessKey),
  };
  await withClient(settings, (client) => abortUpload({ client, bucket, key }, uploadId, LIMIT_MS));
}
