/** Keys and calls that several tests of the object store over HTTP share. */
import { GetObjectCommand, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import type { Readable } from "node:stream";
import { BUCKET } from "./s3-harness.ts";

export const KEYS = [
  "plain",
  "a b/c+d&e=f%20?#.txt",
  "../../x",
  "a//b/",
  "ü\u0308\u{1F600}",
  "k".repeat(1_024),
];

export async function put(
  client: S3Client,
  Key: string,
  Body: string | Readable = "hello",
  more = {},
) {
  return client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body, ...more }));
}

export async function textAt(
  client: S3Client,
  Key: string,
  more = {},
): Promise<string | undefined> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key, ...more }));
  return Body?.transformToString();
}

export async function codeOf(sending: Promise<unknown>): Promise<unknown> {
  return sending.then(
    () => "no error",
    (error: unknown) => (error instanceof Error ? error.name : error),
  );
}
