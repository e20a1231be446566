/**
 * Reads the payloads that a worker gets. `s3Config` has a secret and is stored encrypted, with a separate key for jobs. That
 * key is stored encrypted too, so a change of the service's key touches no job.
 */
import { Buffer } from "node:buffer";
import type { Job } from "../../core/jobs/job.ts";
import { JOB_KEY_ID } from "../../core/resources/secrets/secret-check.ts";
import {
  NONCE_BYTES,
  seal,
  SECRET_KEY_BYTES,
  type SealedSecret,
  unseal,
} from "../../core/resources/secrets/sealed-secret.ts";
import { ServiceError } from "../../core/service-error.ts";
import { PayloadDamagedError } from "../../store/payload.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { StoredPayloads } from "../steps/effects.ts";
import { type SecretPort, sealSecret, unsealSecret } from "../resources/secret-box.ts";

/** Prefix of an encrypted `s3Config`; older ones are plain JSON, which begins differently. */
const SEALED = "\0";

/** Name in refusals and in the log. */
const KEY_NAME = "the key that the s3Config of jobs is encrypted with";

/** The bytes to store; creates the key for jobs if there is none. @throws ServiceError secrets_unusable, storage_full */
export async function sealConfig(
  engine: StepPort & SecretPort,
  jobId: string,
  config: Uint8Array,
): Promise<Uint8Array> {
  const key = openKey(engine, storedKey(engine) ?? (await keepKey(engine)));
  const nonce = engine.random.bytes(NONCE_BYTES);
  const sealed = seal(Buffer.from(config).toString(), nonce, { key, recordId: jobId });
  return Buffer.from(SEALED + JSON.stringify(sealed));
}

/**
 * Undefined if the job was deleted after its hand-over: the worker need not hear of it.
 * @throws PayloadDamagedError; ServiceError secrets_unusable; errors of the store
 */
export async function readPayloads(
  engine: StepPort & SecretPort,
  job: Job,
): Promise<StoredPayloads | undefined> {
  const { store } = engine;
  const input = await store.payload(job.seq, "input");
  if (!input) {
    if ((await store.job(job.id)) === undefined) return undefined;
    throw new PayloadDamagedError({ seq: job.seq, slot: "input" }, "is missing from the database");
  }
  const stored = await store.payload(job.seq, "s3Config");
  const config = await stored?.bytes();
  return { input, s3Config: config && openConfig(engine, job.id, config) };
}

function openConfig(engine: StepPort & SecretPort, jobId: string, stored: Uint8Array): Uint8Array {
  const text = Buffer.from(stored).toString();
  if (!text.startsWith(SEALED)) return stored;
  const sealed = JSON.parse(text.slice(SEALED.length)) as SealedSecret;
  const sealedKey = storedKey(engine);
  const key = sealedKey && openKey(engine, sealedKey);
  const config = key && unseal(sealed, { key, recordId: jobId });
  if (config !== undefined) return Buffer.from(config);
  throw new ServiceError("secrets_unusable", "the s3Config of a job cannot be decrypted");
}

function storedKey({ steps }: StepPort): SealedSecret | undefined {
  return steps.records.find("secretCheck", JOB_KEY_ID)?.sealed;
}

function openKey(engine: SecretPort, sealed: SealedSecret): Uint8Array {
  return Buffer.from(unsealSecret(engine, JOB_KEY_ID, sealed, KEY_NAME), "base64");
}

async function keepKey(engine: StepPort & SecretPort): Promise<SealedSecret> {
  const text = Buffer.from(engine.random.bytes(SECRET_KEY_BYTES)).toString("base64");
  const made = { sealed: sealSecret(engine, JOB_KEY_ID, text) };
  const { sealed } = await engine.steps.commit((step) =>
    step.keepRecord("secretCheck", JOB_KEY_ID, made),
  );
  return sealed;
}
