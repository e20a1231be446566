/** The object store as one part of the service: its disk, its keys, its port, and what endpoints and volumes have of it. */
import type { RequestListener } from "node:http";
import path from "node:path";
import {
  type Credentials,
  holders,
  keysOf,
  type KeyOwner,
  type KnownOwner,
} from "./access-keys.ts";
import { keptCredentials } from "./disk/credentials-file.ts";
import { DiskObjectStore } from "./disk/disk-object-store.ts";
import { REGION } from "./object-store.ts";
import { S3Error } from "./s3-error.ts";
import {
  type ObjectLog,
  ObjectRequests,
  type ObjectRequestsOptions,
} from "./server/object-requests.ts";
import { createObjectServer, type ObjectServer } from "./server/object-server.ts";
import type { BasePath } from "./server/request-of.ts";

export interface ObjectServiceOptions extends Omit<ObjectRequestsOptions, "store" | "holderOf"> {
  /** Where objects and keys are kept; made if need be. */
  readonly directory: string;
  /** Those whose keys are good: endpoints, by id. By default only the store's own are. */
  readonly ownerOf?: (id: string) => KnownOwner | undefined;
}

export interface ObjectServiceAddress {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Whether any free port will do when that one is taken. */
  readonly mayMove: boolean;
}

/** How S3 clients reach the store. */
export interface S3Access extends Credentials {
  /** For example `http://127.0.0.1:7081`; buckets are its paths (path style). */
  readonly endpoint: string;
  readonly region: string;
  /** A file with the keys, in the form of AWS's credentials file. */
  readonly credentialsFile: string;
}

/** What an owner's programs need to reach its bucket. */
export interface OwnBucket extends Omit<S3Access, "credentialsFile"> {
  readonly bucket: string;
}

/** Addresses to listen at that nobody can call by. */
const EVERY_INTERFACE: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

export class ObjectService {
  readonly #log: ObjectLog;
  /** Its buckets: those of volumes are to be made at every start. */
  readonly store: DiskObjectStore;
  readonly #credentials: Credentials;
  readonly #credentialsFile: string;
  readonly #server: ObjectServer;
  readonly #requests: ObjectRequests;
  /** Those at further addresses. */
  readonly #others: ObjectServer[] = [];
  #endpoint: string | undefined;

  /** Opens the store; it cannot be called before `start`. @throws StoreUnusableError, StoreFullError */
  constructor({ directory, now, log, callers, ownerOf }: ObjectServiceOptions) {
    this.#log = log;
    this.#credentialsFile = path.join(directory, "credentials");
    this.#credentials = keptCredentials(this.#credentialsFile);
    this.store = new DiskObjectStore({ directory, now });
    this.#requests = new ObjectRequests({
      store: this.store,
      holderOf: holders(this.#credentials, ownerOf),
      now,
      log,
      callers,
    });
    this.#server = createObjectServer(this.#requests);
  }

  /** @throws PortInUseError, ListenError */
  async start({ host, port, mayMove }: ObjectServiceAddress): Promise<void> {
    const url = await this.#server.start({ host, port }).catch(async (error: unknown) => {
      const isTaken = error instanceof Error && error.name === "PortInUseError";
      if (!isTaken || !mayMove) throw error;
      this.#log.warn({ port }, `${error.message}: the object store takes another`);
      return this.#server.start({ host, port: 0 });
    });
    const { protocol, port: real } = new URL(url);
    const callable = EVERY_INTERFACE[host] ?? host;
    this.#endpoint = `${protocol}//${callable.includes(":") ? `[${callable}]` : callable}:${real}`;
  }

  /**
   * Answers at a further address of this machine too, at the same port if that is free there. Resolves with the endpoint for
   * clients that come from there. To be called after `start`, once for each address.
   *
   * @throws ListenError
   */
  async alsoAt(host: string): Promise<string> {
    const server = createObjectServer(this.#requests);
    this.#others.push(server);
    const port = Number(new URL(this.#endpoint ?? "http://x:0").port);
    return server.start({ host, port }).catch(async (error: unknown) => {
      if (!(error instanceof Error) || error.name !== "PortInUseError") throw error;
      return server.start({ host, port: 0 });
    });
  }

  /** Undefined before `start`. */
  get access(): S3Access | undefined {
    if (this.#endpoint === undefined) return undefined;
    const credentialsFile = this.#credentialsFile;
    return { endpoint: this.#endpoint, region: REGION, ...this.#credentials, credentialsFile };
  }

  /** Answers requests to the store below a path of another server. */
  listener(basePath: BasePath): RequestListener {
    return this.#requests.listener(basePath);
  }

  /**
   * The bucket of an owner, which is made if there is none, with keys that are good for its own buckets only. Undefined
   * before `start`. Never throws.
   *
   * @param endpoint where its programs reach the store; by default where everybody does
   */
  ownBucket(owner: KeyOwner, endpoint: string | undefined = this.#endpoint): OwnBucket | undefined {
    if (endpoint === undefined) return undefined;
    const { id: bucket } = owner;
    try {
      const isThere = this.store.buckets().some(({ name }) => name === bucket);
      if (!isThere) this.store.createBucket(bucket);
    } catch (error) {
      this.#log.error(
        { endpointId: bucket, err: error },
        "the endpoint's bucket could not be made",
      );
    }
    return { endpoint, region: REGION, bucket, ...keysOf(this.#credentials, owner) };
  }

  /** Drops the bucket of an endpoint that is no more if it is empty. Objects outlive the endpoint they were made by. */
  async endpointDeleted(endpointId: string): Promise<void> {
    try {
      await this.store.deleteBucket(endpointId);
    } catch (error) {
      if (error instanceof S3Error && error.code === "NoSuchBucket") return;
      if (error instanceof S3Error && error.code === "BucketNotEmpty") return;
      this.#log.error({ endpointId, err: error }, "the endpoint's bucket could not be dropped");
    }
  }

  /** Idempotent, also before `start`. */
  async stop(): Promise<void> {
    await Promise.all([this.#server, ...this.#others].map((server) => server.stop()));
    await this.store.close();
  }
}
