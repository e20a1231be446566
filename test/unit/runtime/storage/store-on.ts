/** The store under test on a fake service, with short pauses between tries. */
import type { OpenUpload } from "../../../../runtime/protocol/open-upload.ts";
import type {
  S3Config,
  UploadBody,
  UploadOptions,
  UploadedObject,
} from "../../../../runtime/storage/contract.ts";
import { S3Store } from "../../../../runtime/storage/s3/s3-store.ts";
import { readStorageSettings } from "../../../../runtime/storage/settings.ts";
import { upload } from "../../../../runtime/storage/upload/upload.ts";

export const SECRET = "canary+wJalrXUtnFEMI/K7MDENG";

/** Minimum size of a part, bytes. */
export const PART = 5_242_880;

export interface Subject {
  readonly store: S3Store;
  /** Messages to the supervisor. */
  readonly told: { readonly opened: OpenUpload[]; readonly closed: string[] };
  /** Uploads like `context.upload`. */
  readonly upload: (
    key: string,
    body: UploadBody,
    options?: UploadOptions,
    signal?: AbortSignal,
  ) => Promise<UploadedObject>;
}

export function storeOn(url: string, tries = 4, more: S3Config = {}): Subject {
  const s3Config = {
    accessId: "test:tester",
    accessSecret: SECRET,
    bucketName: "b",
    endpointUrl: url,
    ...more,
  };
  const settings = readStorageSettings(s3Config, {});
  if (settings.kind !== "s3") throw new Error("the settings are not those of a bucket");
  const told = { opened: [] as OpenUpload[], closed: [] as string[] };
  const store = new S3Store(settings, {
    listener: {
      opened: (opened) => told.opened.push(opened),
      closed: (uploadId) => told.closed.push(uploadId),
    },
    retry: { tries, firstMs: 1, maxMs: 1 },
  });
  return {
    store,
    told,
    upload: (key, body, options = {}, signal = new AbortController().signal) =>
      upload(key, body, options, { store, signal }),
  };
}
