/** The `s3Config` of jobs is stored encrypted, and workers get it as it was sent. */
import { Buffer } from "node:buffer";
import { expect, it } from "vitest";
import {
  createSystemClock,
  createSystemRandom,
} from "../../../../emulator/assembly/system-clock.ts";
import { readPayloads, sealConfig } from "../../../../emulator/engine/jobs/job-payloads.ts";
import { encryptAnew } from "../../../../emulator/engine/resources/check-secret-key.ts";
import { settleWebhookSecret } from "../../../../emulator/engine/webhooks/settle-webhook-secret.ts";
import { Readiness } from "../../../../emulator/engine/steps/readiness.ts";
import { openSteps } from "../../../../emulator/engine/steps/steps.ts";
import { fixedSecretKey } from "../../../../emulator/secrets/secret-key.ts";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import type { Store } from "../../../../emulator/store/store.ts";
import { waitingJob } from "../../../contract/store/subject.ts";

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };
const [ONE, TWO] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const CONFIG = Buffer.from('{"accessSecret":"canary","bucketName":"ü"}');
const JOB = waitingJob(1);

/** Opens the store like a process with that key. */
async function opened(store: Store, key: Uint8Array) {
  const steps = await openSteps(store, { log: SILENT, clock: createSystemClock() });
  const { ownership } = steps;
  const kept = { store, steps, ownership, readiness: new Readiness() };
  return { ...kept, random: createSystemRandom(), secretKey: fixedSecretKey(key) };
}

/** Stores a job with this `s3Config`. */
async function withJob(engine: Awaited<ReturnType<typeof opened>>, s3Config: Uint8Array) {
  await engine.steps.commit((step) => {
    step.insertJob(JOB);
    step.putPayload(JOB, "input", { kind: "inline", bytes: Buffer.from("{}") });
    step.putPayload(JOB, "s3Config", { kind: "inline", bytes: s3Config });
  });
}

const configOf = async (engine: Awaited<ReturnType<typeof opened>>) =>
  Buffer.from((await readPayloads(engine, JOB))?.s3Config ?? []).toString();

it("an s3Config is not readable in the store, and reaches a worker unchanged after a restart", async () => {
  const store = createMemoryStore();
  const engine = await opened(store, ONE);
  const sealed = await sealConfig(engine, JOB.id, CONFIG);
  expect(Buffer.from(sealed).toString()).not.toContain("canary");
  await withJob(engine, sealed);
  expect(await configOf(await opened(store, ONE))).toBe(CONFIG.toString());
});

it("an s3Config is encrypted differently for each job", async () => {
  const engine = await opened(createMemoryStore(), ONE);
  const one = await sealConfig(engine, JOB.id, CONFIG);
  expect(Buffer.compare(one, await sealConfig(engine, JOB.id, CONFIG))).not.toBe(0);
  await withJob(engine, await sealConfig(engine, "another job", CONFIG));
  await expect(configOf(engine)).rejects.toThrow("the s3Config of a job cannot be decrypted");
});

it("an s3Config that was stored as plain text can still be read", async () => {
  const engine = await opened(createMemoryStore(), ONE);
  await withJob(engine, CONFIG);
  expect(await configOf(engine)).toBe(CONFIG.toString());
});

it("an s3Config can be read after a change of the store's key, but not with another key", async () => {
  const store = createMemoryStore();
  const engine = await opened(store, ONE);
  await withJob(engine, await sealConfig(engine, JOB.id, CONFIG));
  expect(await encryptAnew(engine, { from: ONE, to: TWO })).toBe(1);
  expect(await configOf(await opened(store, TWO))).toBe(CONFIG.toString());
  await expect(configOf(await opened(store, ONE))).rejects.toThrow("cannot be decrypted");
});

it("a webhook secret that was stored as plain text is encrypted by the next start, and stays the same", async () => {
  const store = createMemoryStore();
  const engine = await opened(store, ONE);
  await engine.steps.commit((step) =>
    step.putRecord("webhookSecret", "webhook", { secret: "whsec_in-clear" }),
  );
  expect(await settleWebhookSecret(engine, undefined)).toBe("whsec_in-clear");
  const later = await opened(store, ONE);
  expect(JSON.stringify(later.steps.records.all("webhookSecret"))).not.toContain("in-clear");
  expect(await settleWebhookSecret(later, undefined)).toBe("whsec_in-clear");
  expect(await encryptAnew(later, { from: ONE, to: TWO })).toBe(1);
  expect(await settleWebhookSecret(await opened(store, TWO), undefined)).toBe("whsec_in-clear");
});
