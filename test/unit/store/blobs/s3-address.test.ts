/** The address of a bucket for large payloads: its form, additions from the environment, and refusals. */
import { expect, it } from "vitest";
import { isStoreAddress, shownAddress } from "../../../../emulator/core/store-address.ts";
import { readBlobsPlace } from "../../../../emulator/store/blobs/s3-address.ts";

const KEYS = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "hush" };
const SAID = "accessKeyId=mine&secretAccessKey=hush";

it("an address has the bucket, the prefix, the service and the keys", () => {
  const place = readBlobsPlace(
    `s3://my_bucket/of/payloads/?endpoint=http://127.0.0.1:9000&region=here&${SAID}`,
    KEYS,
  );
  expect(place).toMatchObject({
    bucket: "my_bucket",
    prefix: "of/payloads/",
    endpointUrl: "http://127.0.0.1:9000",
    region: "here",
    accessKeyId: "mine",
    forcePathStyle: true,
  });
  expect(place.secretAccessKey.reveal()).toBe("hush");
});

it("an address takes missing parts from the variables of AWS's tools", () => {
  const env = { ...KEYS, AWS_ENDPOINT_URL: "http://minio:9000", AWS_DEFAULT_REGION: "there" };
  expect(readBlobsPlace("s3://bucket", env)).toMatchObject({
    prefix: "",
    endpointUrl: "http://minio:9000",
    region: "there",
    accessKeyId: "id",
  });
  const nearer = { ...env, AWS_ENDPOINT_URL_S3: "http://near:9000", AWS_REGION: "here" };
  expect(readBlobsPlace("s3://bucket", nearer)).toMatchObject({
    endpointUrl: "http://near:9000",
    region: "here",
  });
});

it("an address with only a region is one of Amazon's service", () => {
  const { endpointUrl, region, forcePathStyle } = readBlobsPlace("s3://b?region=eu-west-1", KEYS);
  expect([endpointUrl, region, forcePathStyle]).toEqual([
    "https://s3.eu-west-1.amazonaws.com",
    "eu-west-1",
    false,
  ]);
});

it.each([
  ["/var/payloads", KEYS, "must be an address like s3://"],
  ["https://bucket.test", KEYS, "must be an address like s3://"],
  ["s3://bucket", KEYS, "needs the parameter endpoint"],
  ["s3://bucket?endpoint=ftp://x", KEYS, "not an http or https URL"],
  ["s3://bucket?endpoint=http://x", {}, "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"],
  ["s3://bucket?endpoint=http://x&accessKeyId=a", KEYS, "both, or neither"],
  ["s3://bucket?endpoint=http://x&acessKeyId=a", KEYS, "unknown parameter acessKeyId"],
  ["s3://id:hush@bucket?endpoint=http://x", KEYS, "no keys before an @"],
  ["s3://b?endpoint=http://x", { ...KEYS, AWS_SESSION_TOKEN: "t" }, "AWS_SESSION_TOKEN"],
])("%s with %j is refused: %s", (text, env, why) => {
  expect(() => readBlobsPlace(text, env)).toThrow(why);
  expect(() => readBlobsPlace(text, env)).not.toThrow("hush");
});

it("an address is shown without its secrets", () => {
  expect(shownAddress("postgres://user:p@ss:w/rd@host:5432/db?sslmode=require")).toBe(
    "postgres://user:***@host:5432/db?sslmode=require",
  );
  expect(shownAddress("postgresql://user@host/db?password=hush&ssl=1")).toBe(
    "postgresql://user@host/db?password=***&ssl=1",
  );
  expect(shownAddress(`s3://b/c?${SAID}`)).toBe("s3://b/c?accessKeyId=mine&secretAccessKey=***");
});

it("addresses of other stores are not taken for PostgreSQL", () => {
  expect(["postgres://host/db", "postgresql://host/db"].every(isStoreAddress)).toBe(true);
  expect(["mysql://host/db", "host/db", "postgres://", ""].some(isStoreAddress)).toBe(false);
});
