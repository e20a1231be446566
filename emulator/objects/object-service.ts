/** The object store of the service: its disk, its keys, its ports, and the buckets of endpoints and volumes. */
import type { RequestListener } from "node:http";
import path from "node:path";
import {
  type Credentials,
  holderLookup,
  keysOf,
  type KeyOwner,
  type KnownOwner,
} from "./access-keys.ts";
import { PortInUseError } from "../net/listen.ts";
import type { ServerLife } from "../net/server-life.ts";
import { readOrMakeCredentials } from "./disk/credentials-file.ts";
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
  /** Directory of objects and keys, which is made if it is missing. */
  readonly directory: string;
  /** Finds an endpoint, which has keys of its own, by its id. Without this function only the store's keys are accepted. */
  readonly ownerOf?: (id: string) => KnownOwner | undefined;
  readonly life?: ServerLife;
}

export interface ObjectServiceAddress {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Whether to listen at any free port if that one is taken. */
  readonly allowsOtherPort: boolean;
}

/** The address and credentials for S3 clients. */
export interface S3Access extends Credentials {
  /** For example `http://127.0.0.1:7081`. The bucket is the first part of a path (path style). */
  readonly endpoint: string;
  readonly region: string;
  /** Path of a file with the keys, in the form of AWS's credentials file. */
  readonly credentialsFile: string;
}

/** Address, bucket and credentials for an owner's programs. */
export interface BucketAccess extends Omit<S3Access, "credentialsFile"> {
  readonly bucket: string;
}

/** Callable addresses by the addresses that stand for every interface. */
const CALLABLE_ADDRESSES: Readonly<Record<string, string>> = {
  "0.0.0.0": "127.0.0.1",
  "::": "::1",
};

export class ObjectService {
  readonly #log: ObjectLog;
  /** The store itself, which has to be told after every start which volumes are buckets. */
  readonly store: DiskObjectStore;
  readonly #credentials: Credentials;
  readonly #credentialsFile: string;
  readonly #server: ObjectServer;
  readonly #requests: ObjectRequests;
  readonly #life: ServerLife | undefined;
  /** The servers at further addresses. */
  readonly #furtherServers = new Set<ObjectServer>();
  #isStopped = false;
  #endpoint: string | undefined;

  /** Opens the store, which does not listen before `start`. @throws StoreUnusableError, StoreFullError */
  constructor({ directory, now, log, callers, ownerOf, life }: ObjectServiceOptions) {
    this.#log = log;
    this.#credentialsFile = path.join(directory, "credentials");
    this.#credentials = readOrMakeCredentials(this.#credentialsFile);
    this.store = new DiskObjectStore({ directory, now });
    this.#requests = new ObjectRequests({
      store: this.store,
      holderOf: holderLookup(this.#credentials, ownerOf),
      now,
      log,
      callers,
    });
    this.#life = life;
    this.#server = createObjectServer(this.#requests, log, life);
  }

  /** @throws PortInUseError, ListenError */
  async start({ host, port, allowsOtherPort }: ObjectServiceAddress): Promise<void> {
    const url = await this.#server.start({ host, port }).catch(async (error: unknown) => {
      const isTaken = error instanceof Error && error.name === "PortInUseError";
      if (!isTaken || !allowsOtherPort) throw error;
      this.#log.warn({ port }, `${error.message}: the object store listens at another`);
      return this.#server.start({ host, port: 0 });
    });
    const { protocol, port: actualPort } = new URL(url);
    const callableHost = CALLABLE_ADDRESSES[host] ?? host;
    this.#endpoint = `${protocol}//${callableHost.includes(":") ? `[${callableHost}]` : callableHost}:${actualPort}`;
  }

  /**
   * Listens at one more address of this machine, at the same port if that is free there. Resolves to the URL for clients of that
   * address. Call it after `start`, once for each address.
   *
   * @throws ListenError
   */
  async listenAlsoAt(host: string): Promise<string> {
    if (this.#isStopped) throw new Error("the object store is stopping");
    const server = createObjectServer(this.#requests, this.#log, this.#life);
    this.#furtherServers.add(server);
    return server.start({ host, port: this.port }).catch(async (error: unknown) => {
      if (error instanceof PortInUseError) return server.start({ host, port: 0 });
      this.#furtherServers.delete(server);
      throw error;
    });
  }

  /** The port of the store. 0 before `start`. */
  get port(): number {
    return Number(new URL(this.#endpoint ?? "http://x:0").port);
  }

  /** Address and keys of the store itself. Undefined before `start`. */
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
   * The bucket of an owner, with keys that give access to this owner's buckets only. A missing bucket is created. Undefined
   * before `start`. Never throws: a failure to make the bucket is logged.
   *
   * @param endpoint the URL at which the owner's programs reach the store; default: that of `access`
   */
  bucketFor(
    owner: KeyOwner,
    endpoint: string | undefined = this.#endpoint,
  ): BucketAccess | undefined {
    if (endpoint === undefined) return undefined;
    const { id: bucket } = owner;
    try {
      const exists = this.store.buckets().some(({ name }) => name === bucket);
      if (!exists) this.store.createBucket(bucket);
    } catch (error) {
      this.#log.error(
        { endpointId: bucket, err: error },
        "the endpoint's bucket could not be made",
      );
    }
    return { endpoint, region: REGION, bucket, ...keysOf(this.#credentials, owner) };
  }

  /** Drops the bucket of a deleted endpoint if it is empty. Objects outlive their endpoint. */
  async endpointDeleted(endpointId: string): Promise<void> {
    try {
      await this.store.deleteBucket(endpointId);
    } catch (error) {
      if (error instanceof S3Error && error.code === "NoSuchBucket") return;
      if (error instanceof S3Error && error.code === "BucketNotEmpty") return;
      this.#log.error({ endpointId, err: error }, "the endpoint's bucket could not be dropped");
    }
  }

  /** Stops listening and closes the store. Idempotent, also before `start`. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([this.#server, ...this.#furtherServers].map((server) => server.stop()));
    await this.store.close();
  }
}
