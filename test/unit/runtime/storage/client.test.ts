/** A few S3 clients are kept for later jobs with the same settings. */
import type { S3Client } from "@aws-sdk/client-s3";
import { expect, test } from "vitest";
import { withClient } from "../../../../runtime/storage/s3/client.ts";
import { type BucketSettings, readStorageSettings } from "../../../../runtime/storage/settings.ts";

function settings(accessSecret: string): BucketSettings {
  const endpointUrl = "http://127.0.0.1:1";
  const config = { accessId: "id", accessSecret, bucketName: "b", endpointUrl };
  const read = readStorageSettings(config, {});
  if (read.kind !== "s3") throw new Error("these are a bucket's");
  return read;
}

const give = (client: S3Client): Promise<S3Client> => Promise.resolve(client);

test("the same settings get the same client, a different secret another", async () => {
  const first = await withClient(settings("one"), give);
  expect(await withClient(settings("one"), give)).toBe(first);
  expect(await withClient(settings("two"), give)).not.toBe(first);
});

test("the least recently used client is dropped, but never one in use", async () => {
  const release = Promise.withResolvers<void>();
  const inUse = withClient(settings("busy"), async (client) => {
    await release.promise;
    return client;
  });
  const idle = await withClient(settings("idle"), give);
  for (let more = 0; more < 20; more++) await withClient(settings(`more ${more}`), give);
  expect(await withClient(settings("idle"), give)).not.toBe(idle);
  const again = await withClient(settings("busy"), give);
  release.resolve();
  expect(await inUse).toBe(again);
});
