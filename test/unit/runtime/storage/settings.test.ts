/** The bucket of a job: its settings, its address, and messages about missing settings. */
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { readBucketAddress } from "../../../../runtime/storage/bucket-address.ts";
import type { S3Config } from "../../../../runtime/storage/contract.ts";
import type { Environment } from "../../../../runtime/protocol/environment/worker-env.ts";
import { readStorageSettings } from "../../../../runtime/storage/settings.ts";

const own: Required<Omit<S3Config, "region" | "publicUrl">> = {
  accessId: "job-id",
  accessSecret: "job-secret",
  bucketName: "job-bucket",
  endpointUrl: "https://job.test",
};
const env = {
  SV_S3_ENDPOINT: "https://sv.test/s3",
  SV_S3_ACCESS_KEY_ID: "sv-id",
  SV_S3_SECRET_ACCESS_KEY: "sv-secret",
  SV_S3_BUCKET: "sv-bucket",
};
const live = {
  BUCKET_ENDPOINT_URL: "https://live-bucket.s3.eu-west-1.amazonaws.com",
  BUCKET_ACCESS_KEY_ID: "live-id",
  BUCKET_SECRET_ACCESS_KEY: "live-secret",
};

describe("settings", () => {
  test("come from the job, else from our variables, else from the live ones; a directory precedes the variables", () => {
    const all = { ...env, ...live };
    expect(readStorageSettings(own, all)).toMatchObject({ bucket: "job-bucket" });
    expect(readStorageSettings(undefined, all)).toMatchObject({
      endpointUrl: "https://sv.test/s3",
      bucket: "sv-bucket",
      accessKeyId: "sv-id",
      region: "us-east-1",
      forcePathStyle: true,
    });
    expect(readStorageSettings({}, { ...live, SV_S3_ENDPOINT: "" })).toMatchObject({
      endpointUrl: "https://s3.eu-west-1.amazonaws.com",
      bucket: "live-bucket",
      accessKeyId: "live-id",
      region: "eu-west-1",
      forcePathStyle: false,
    });
    const directory = { kind: "directory", directory: "/objects" };
    expect(readStorageSettings(undefined, { ...all, SV_OBJECTS_DIR: "/objects" })).toEqual(
      directory,
    );
    expect(readStorageSettings(own, { SV_OBJECTS_DIR: "/objects" })).toMatchObject({ kind: "s3" });
  });

  test("have the set region, else the address's own", () => {
    const region = "xx-1";
    const named = [
      readStorageSettings(undefined, { ...env, SV_S3_REGION: region }),
      readStorageSettings(undefined, { ...live, BUCKET_REGION: region }),
      readStorageSettings({ ...own, region }, env),
    ];
    for (const settings of named) expect(settings).toMatchObject({ region });
  });

  test("have an address for readers of their own, with the bucket in its path or its host", () => {
    const at = (publicUrl: string) => ({ endpointUrl: publicUrl, forcePathStyle: true });
    const url = "https://files.test/s3";
    expect(readStorageSettings({ ...own, publicUrl: url }, env)).toMatchObject({ public: at(url) });
    expect(readStorageSettings(undefined, { ...env, SV_S3_PUBLIC_URL: url })).toMatchObject({
      public: at(url),
    });
    expect(readStorageSettings(undefined, { ...live, BUCKET_PUBLIC_URL: url })).toMatchObject({
      public: at(url),
    });
    expect(
      readStorageSettings(undefined, {
        ...env,
        SV_S3_PUBLIC_URL: "https://s3.eu-west-1.amazonaws.com",
      }),
    ).toMatchObject({ public: { forcePathStyle: false } });
    expect(readStorageSettings(own, { ...env, SV_S3_PUBLIC_URL: url })).toMatchObject({
      public: undefined,
    });
    expect(() =>
      readStorageSettings(undefined, { ...env, SV_S3_PUBLIC_URL: "files.test" }),
    ).toThrow("SV_S3_PUBLIC_URL of the environment (SV_S3_…) is no http or https URL");
  });

  test.each<[string, S3Config | undefined, Environment, string]>([
    [
      "no setting",
      undefined,
      {},
      "There is no object storage for this job: submit it with s3Config, or set SV_S3_ENDPOINT, " +
        "SV_S3_ACCESS_KEY_ID, SV_S3_SECRET_ACCESS_KEY and SV_S3_BUCKET for the worker; " +
        "sv-worker run takes --objects <directory> instead.",
    ],
    [
      "a job with half of them, which the worker's do not complete",
      { endpointUrl: "https://elsewhere.test", bucketName: "b" },
      env,
      "Object storage is not configured: the job's s3Config lacks accessId, accessSecret.",
    ],
    [
      "half of ours, which the live ones do not complete",
      undefined,
      { SV_S3_SECRET_ACCESS_KEY: "very-secret", ...live },
      "Object storage is not configured: the environment (SV_S3_…) lacks SV_S3_ENDPOINT, SV_S3_ACCESS_KEY_ID, SV_S3_BUCKET.",
    ],
    [
      "half of the live ones",
      undefined,
      { BUCKET_ENDPOINT_URL: "https://x.test/b" },
      "Object storage is not configured: the environment (BUCKET_…) lacks BUCKET_ACCESS_KEY_ID, BUCKET_SECRET_ACCESS_KEY.",
    ],
    [
      "an invalid address",
      { ...own, endpointUrl: "s3.amazonaws.com" },
      {},
      "Object storage is not configured: endpointUrl of the job's s3Config is no http or https URL.",
    ],
    [
      "a live address without a bucket",
      undefined,
      { ...live, BUCKET_ENDPOINT_URL: "https://s3.eu-west-1.amazonaws.com/" },
      "BUCKET_ENDPOINT_URL must hold the bucket's name, as https://my-bucket.s3.us-east-1.amazonaws.com does.",
    ],
  ])("%s: the message names the missing settings", (_, s3Config, environment, message) => {
    const read = (): unknown => readStorageSettings(s3Config, environment);
    expect(read).toThrow(expect.objectContaining({ code: "storage_not_configured", message }));
  });

  test("do not show their secret", () => {
    const settings = readStorageSettings(own, {});
    const shown = [inspect(settings, { showHidden: true }), JSON.stringify(settings)];
    for (const text of shown) {
      expect(text).toContain("[secret]");
      expect(text).not.toContain("job-secret");
    }
    if (settings.kind !== "s3") throw new Error("these are a bucket's");
    expect(String(settings.secretAccessKey)).toBe("[secret]");
    expect(settings.secretAccessKey.reveal()).toBe("job-secret");
  });
});

describe("an address", () => {
  const r2 = "0123456789abcdef0123456789abcdef";
  test.each<[string, string | undefined, string, string | undefined, string, boolean]>([
    [
      "https://s3.us-west-2.amazonaws.com",
      "b",
      "https://s3.us-west-2.amazonaws.com",
      "b",
      "us-west-2",
      false,
    ],
    [
      "https://s3-us-west-2.amazonaws.com/",
      "b",
      "https://s3-us-west-2.amazonaws.com",
      "b",
      "us-west-2",
      false,
    ],
    [
      "https://s3.dualstack.ap-southeast-1.amazonaws.com",
      "b",
      "https://s3.dualstack.ap-southeast-1.amazonaws.com",
      "b",
      "ap-southeast-1",
      false,
    ],
    [
      "https://s3.cn-north-1.amazonaws.com.cn",
      "b",
      "https://s3.cn-north-1.amazonaws.com.cn",
      "b",
      "cn-north-1",
      false,
    ],
    ["https://s3.amazonaws.com", "b", "https://s3.amazonaws.com", "b", "us-east-1", false],
    ["https://b.s3.amazonaws.com", undefined, "https://s3.amazonaws.com", "b", "us-east-1", false],
    [
      "https://a.b.s3.eu-central-1.amazonaws.com",
      undefined,
      "https://s3.eu-central-1.amazonaws.com",
      "a.b",
      "eu-central-1",
      true,
    ],
    [
      "https://b.s3.us-east-1.amazonaws.com",
      "b",
      "https://s3.us-east-1.amazonaws.com",
      "b",
      "us-east-1",
      false,
    ],
    [
      `https://${r2}.r2.cloudflarestorage.com`,
      "b",
      `https://${r2}.r2.cloudflarestorage.com`,
      "b",
      "auto",
      true,
    ],
    [
      `https://${r2}.eu.r2.cloudflarestorage.com/b`,
      undefined,
      `https://${r2}.eu.r2.cloudflarestorage.com`,
      "b",
      "auto",
      true,
    ],
    [
      `https://b.${r2}.r2.cloudflarestorage.com`,
      undefined,
      `https://${r2}.r2.cloudflarestorage.com`,
      "b",
      "auto",
      true,
    ],
    [
      "https://s3.us-west-004.backblazeb2.com",
      "b",
      "https://s3.us-west-004.backblazeb2.com",
      "b",
      "us-west-004",
      true,
    ],
    [
      "https://b.nyc3.digitaloceanspaces.com",
      undefined,
      "https://nyc3.digitaloceanspaces.com",
      "b",
      "nyc3",
      true,
    ],
    ["http://127.0.0.1:9000", "b", "http://127.0.0.1:9000", "b", "us-east-1", true],
    ["http://minio:9000/b", "b", "http://minio:9000", "b", "us-east-1", true],
    ["http://minio:9000/b/", undefined, "http://minio:9000", "b", "us-east-1", true],
    ["http://127.0.0.1:7080/s3", "b", "http://127.0.0.1:7080/s3", "b", "us-east-1", true],
    ["http://127.0.0.1:7080/s3/b", undefined, "http://127.0.0.1:7080/s3", "b", "us-east-1", true],
    ["http://[::1]:9000", "b", "http://[::1]:9000", "b", "us-east-1", true],
    ["http://minio:9000", undefined, "http://minio:9000", undefined, "us-east-1", true],
  ])("%s with the bucket %s", (text, given, endpointUrl, bucket, region, forcePathStyle) => {
    expect(readBucketAddress(text, given)).toEqual({ endpointUrl, bucket, region, forcePathStyle });
  });

  test.each([
    ["s3.fr-par.scw.cloud", "fr-par", true],
    ["s3.gra.io.cloud.ovh.net", "gra", true],
    ["s3.eu-west-par.io.cloud.ovh.net", "eu-west-par", true],
    ["s3.sbg.perf.cloud.ovh.net", "sbg", true],
    ["oss-cn-hangzhou.aliyuncs.com", "oss-cn-hangzhou", false],
    ["s3.oss-eu-central-1.aliyuncs.com", "oss-eu-central-1", false],
    ["oss-cn-hangzhou-internal.aliyuncs.com", "oss-cn-hangzhou", false],
    ["cos.ap-guangzhou.myqcloud.com", "ap-guangzhou", false],
    ["cos.na-siliconvalley.myqcloud.com", "na-siliconvalley", false],
    ["storage.googleapis.com", "auto", true],
    ["s3.eu-central-003.backblazeb2.com", "eu-central-003", true],
    ["s3.eu-central-1.wasabisys.com", "eu-central-1", true],
    ["s3api-eur-is-1.example.io", "EUR-IS-1", true],
    ["s3.us-gov-west-1.amazonaws.com", "us-gov-west-1", false],
  ])(
    "%s: the bucket is named apart, in the path, or in the host",
    (host, region, forcePathStyle) => {
      const expected = { endpointUrl: `https://${host}`, bucket: "b", region, forcePathStyle };
      expect(readBucketAddress(`https://${host}`, "b")).toEqual(expected);
      expect(readBucketAddress(`https://${host}/b`, undefined)).toEqual(expected);
      expect(readBucketAddress(`https://b.${host}`, undefined)).toEqual(expected);
      expect(readBucketAddress(`https://b.${host}`, "b")).toEqual(expected);
    },
  );

  test("with a path has the bucket at its end, as at Supabase", () => {
    const endpointUrl = "https://ref.storage.supabase.co/storage/v1/s3";
    const expected = { endpointUrl, bucket: "b", region: "us-east-1", forcePathStyle: true };
    expect(readBucketAddress(`${endpointUrl}/b`, undefined)).toEqual(expected);
    expect(readBucketAddress(endpointUrl, "b")).toEqual(expected);
  });

  test.each(["", "minio:9000", "ftp://x.test", "file:///etc", "not a url"])(
    "is invalid: %s",
    (text) => {
      expect(readBucketAddress(text, "b")).toBeUndefined();
    },
  );
});
