/** Ends an upload that a handler process left unfinished when it died; the S3 client is loaded only then. */
import type { OpenUpload } from "../../protocol/open-upload.ts";

/** Where it says what became of it: the worker's log. */
interface Log {
  write(level: "info" | "warn", message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** Never rejects. */
export async function abortLeftUpload(upload: OpenUpload, log: Log): Promise<void> {
  const { bucket, key, uploadId } = upload;
  try {
    const { abortLeft } = await import("../s3/abort-left.ts");
    await abortLeft(upload);
    log.write("info", "ended an upload that was left unfinished", { bucket, key });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = "an upload that was left unfinished could not be ended, and its parts remain";
    log.write("warn", message, { bucket, key, uploadId, reason });
  }
}
