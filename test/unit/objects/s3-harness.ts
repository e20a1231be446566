/** An object store with its port, and the SDK's client for it, for one test. */
import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import path from "node:path";
import { holderLookup, type KnownOwner } from "../../../emulator/objects/access-keys.ts";
import { DiskObjectStore } from "../../../emulator/objects/disk/disk-object-store.ts";
import { ObjectRequests } from "../../../emulator/objects/server/object-requests.ts";
import { createObjectServer } from "../../../emulator/objects/server/object-server.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";

export const CREDENTIALS = {
  accessKeyId: "SVTESTACCESSKEY00001",
  secretAccessKey: "secret/of+the=test",
};

export const BUCKET = "bucket";

export interface S3Harness extends AsyncDisposable {
  /** For example `http://127.0.0.1:41234`. */
  readonly url: string;
  readonly store: DiskObjectStore;
  /** The client with the SDK's own defaults, checksums included. */
  readonly client: S3Client;
  /** Offset from the real time (ms). */
  readonly clock: { offsetMs: number };
  /** The store's log. */
  readonly logged: readonly string[];
  clientWith(config: S3ClientConfig): S3Client;
}

export interface S3HarnessOptions {
  /** Finds owners with their own keys. Default: none. */
  readonly ownerOf?: (id: string) => KnownOwner | undefined;
  /** Default: its own directory. */
  readonly directory?: string;
}

/** A store with one bucket. */
export async function s3Harness({ directory, ownerOf }: S3HarnessOptions = {}): Promise<S3Harness> {
  const temporary = temporaryDirectory();
  const clock = { offsetMs: 0 };
  const now = () => Date.now() + clock.offsetMs;
  const store = new DiskObjectStore({
    directory: directory ?? path.join(temporary.path, "objects"),
    now,
  });
  store.createBucket(BUCKET);
  const logged: string[] = [];
  const log = (fields: object, message: string) =>
    void logged.push(`${message} ${JSON.stringify(fields, errorsAsText)}`);
  const logs = { warn: log, error: log };
  const server = createObjectServer(
    new ObjectRequests({ store, holderOf: holderLookup(CREDENTIALS, ownerOf), now, log: logs }),
    logs,
  );
  const url = await server.start({ host: "127.0.0.1", port: 0 });
  const clients: S3Client[] = [];
  const clientWith = (config: S3ClientConfig) => {
    const client = new S3Client({
      endpoint: url,
      region: "us-east-1",
      forcePathStyle: true,
      credentials: CREDENTIALS,
      maxAttempts: 1,
      ...config,
    });
    clients.push(client);
    return client;
  };
  return {
    url,
    store,
    client: clientWith({}),
    clock,
    logged,
    clientWith,
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.destroy();
      await server.stop();
      await store.close();
      temporary[Symbol.dispose]();
    },
  };
}

function errorsAsText(_key: string, value: unknown): unknown {
  return value instanceof Error ? value.stack : value;
}
