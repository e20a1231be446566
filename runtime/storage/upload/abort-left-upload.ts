/** Aborts the unfinished upload of a handler process that died. Loads the S3 client only then. */
import type { WorkerLog } from "../../protocol/worker-log.ts";
import type { OpenUpload } from "../../protocol/open-upload.ts";
import { Secret } from "../secret.ts";

/** Timeout of the abort, for which a leaving worker waits. */
const LIMIT_MS = 6_000;

/** Never rejects. */
export async function abortLeftUpload(upload: OpenUpload, log: WorkerLog): Promise<void> {
  const { uploadId, bucket, key, secretAccessKey, ...address } = upload;
  const where = { bucket, source: "the handler process", ...address };
  const settings = { kind: "s3", ...where, secretAccessKey: new Secret(secretAccessKey) } as const;
  try {
    const { withClient } = await import("../s3/client.ts");
    const { abortUpload } = await import("../s3/multipart.ts");
    await withClient(settings, (client) =>
      abortUpload({ client, bucket, key }, uploadId, LIMIT_MS),
    );
    log.write("info", "aborted an unfinished upload", { bucket, key });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = "an unfinished upload could not be aborted, and its parts remain";
    log.write("warn", message, { bucket, key, uploadId, reason });
  }
}
