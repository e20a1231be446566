/** The project's own S3 server, started alone with an empty bucket: for tests of clients of such a service. */
import path from "node:path";
import { ObjectService } from "../../emulator/objects/object-service.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

export interface OwnS3 extends AsyncDisposable {
  readonly url: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Name of the bucket. */
  readonly bucket: string;
  /** Keys of the objects with this prefix. */
  names(prefix: string): Promise<readonly string[]>;
}

const BUCKET = "of-tests";
const SILENT = { warn: () => undefined, error: () => undefined };

export async function startOwnS3(): Promise<OwnS3> {
  const temporary = temporaryDirectory();
  const directory = path.join(temporary.path, "objects");
  const service = new ObjectService({ directory, now: Date.now, log: SILENT });
  await service.start({ host: "127.0.0.1", port: 0, allowsOtherPort: false });
  service.store.createBucket(BUCKET);
  const { endpoint: url = "", accessKeyId = "", secretAccessKey = "" } = service.access ?? {};
  return {
    ...{ url, accessKeyId, secretAccessKey, bucket: BUCKET },
    async names(prefix) {
      const { items } = await service.store.bucket(BUCKET).list({ prefix, maxEntries: 1_000 });
      return items.map(({ key }) => key);
    },
    async [Symbol.asyncDispose]() {
      await service.stop();
      temporary[Symbol.dispose]();
    },
  };
}

/** The address of a place in the bucket, keys included. */
export function addressOn(
  {
    url,
    bucket,
    accessKeyId,
    secretAccessKey,
  }: Pick<OwnS3, "url" | "bucket" | "accessKeyId" | "secretAccessKey">,
  prefix = "",
): string {
  const parameters = new URLSearchParams({ endpoint: url, accessKeyId, secretAccessKey });
  return `s3://${bucket}/${prefix}?${parameters.toString()}`;
}
