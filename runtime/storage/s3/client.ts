/** Makes S3 clients, keeps them for later jobs with the same settings, and sends requests with retries. */
import { S3Client } from "@aws-sdk/client-s3";
import { nodeAgents } from "../../proxies/outgoing.ts";
import { type RetryTerms, withRetries } from "../retry.ts";
import type { BucketSettings } from "../settings.ts";
import { type Fault, mayPass, readFault } from "./fault.ts";
import { learnRegion, regionOf } from "./region.ts";

/** Maximum number of unused clients. It is limited because each job may have different settings. */
const MAX_IDLE_CLIENTS = 8;
const CONNECTION_LIMIT_MS = 10_000;
/** Timeout of a connection without a byte in either direction. */
const IDLE_LIMIT_MS = 60_000;

/** Maximum connections of a client through a proxy; the same as the SDK's own without one. */
const MAX_SOCKETS = 50;

interface Kept {
  readonly client: S3Client;
  users: number;
}

/** Least recently used first. */
const kept = new Map<string, Kept>();

/** Lends a client. Equal settings get the same client with its connections. */
export async function withClient<T>(
  settings: BucketSettings,
  use: (client: S3Client) => Promise<T>,
): Promise<T> {
  const key = keyOf(settings);
  const found = kept.get(key) ?? { client: newClient(settings), users: 0 };
  kept.delete(key);
  kept.set(key, found);
  found.users++;
  try {
    return await use(found.client);
  } finally {
    found.users--;
    closeSurplus();
  }
}

function closeSurplus(): void {
  for (const [key, { client, users }] of kept) {
    if (kept.size <= MAX_IDLE_CLIENTS) return;
    if (users > 0) continue;
    kept.delete(key);
    client.destroy();
  }
}

function keyOf(settings: BucketSettings): string {
  const { endpointUrl, bucket, region, forcePathStyle, accessKeyId, secretAccessKey } = settings;
  const credentials = [accessKeyId, secretAccessKey.reveal()];
  return JSON.stringify([endpointUrl, bucket, region, forcePathStyle, ...credentials]);
}

function newClient(settings: BucketSettings): S3Client {
  const { endpointUrl, forcePathStyle, accessKeyId, secretAccessKey } = settings;
  return new S3Client({
    endpoint: endpointUrl,
    region: async () => regionOf(settings),
    forcePathStyle,
    credentials: { accessKeyId, secretAccessKey: secretAccessKey.reveal() },
    // Only Amazon's service supports its newer checksums and their framing.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    // The machine's settings for Amazon's own tools do not apply to the job's bucket.
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    // retry.ts makes the tries instead, because pauses of the client cannot be ended early, and a stopped job has little time.
    maxAttempts: 1,
    retryMode: "standard",
    requestHandler: {
      connectionTimeout: CONNECTION_LIMIT_MS,
      socketTimeout: IDLE_LIMIT_MS,
      ...nodeAgents({ keepAlive: true, maxSockets: MAX_SOCKETS }),
    },
  });
}

export interface CallTerms {
  readonly settings: BucketSettings;
  readonly retry: RetryTerms;
  readonly signal: AbortSignal;
  /** A sentence about what failed. */
  readonly explain: (fault: Fault) => Error;
}

/**
 * Sends one request, with retries after temporary errors, and after a refusal that names another region.
 * @throws the error of `explain`, or the signal's reason when it aborts
 */
export async function call<T>(
  send: () => Promise<T>,
  { settings, retry, signal, explain }: CallTerms,
): Promise<T> {
  try {
    const mayHelp = (thrown: unknown) =>
      learnRegion(settings, readFault(thrown).region) || mayPass(thrown);
    return await withRetries(send, mayHelp, retry, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    throw explain(readFault(thrown));
  }
}
