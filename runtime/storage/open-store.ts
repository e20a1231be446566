/** Opens the object storage of a job; its code is loaded on demand. */
import type { S3Config } from "./contract.ts";
import type { ObjectStore } from "./object-store.ts";
import type { MultipartListener } from "./s3/s3-store.ts";
import type { Environment } from "../protocol/environment/worker-env.ts";
import { readStorageSettings } from "./settings.ts";

/** @throws StorageError `storage_not_configured` */
export async function openStore(
  s3Config: S3Config | undefined,
  env: Environment,
  listener: MultipartListener,
): Promise<ObjectStore> {
  const settings = readStorageSettings(s3Config, env);
  if (settings.kind === "directory") {
    const { DirectoryStore } = await import("./directory-store.ts");
    return new DirectoryStore(settings.directory);
  }
  const { S3Store } = await import("./s3/s3-store.ts");
  return new S3Store(settings, { listener });
}
