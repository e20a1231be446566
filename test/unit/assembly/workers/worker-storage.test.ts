/** Variables with which a worker finds its endpoint's bucket. */
import { describe, expect, it } from "vitest";
import { storageEnvironment } from "../../../../emulator/assembly/workers/worker-storage.ts";

describe("the storage variables of a worker", () => {
  const ours = {
    endpoint: "http://127.0.0.1:7081",
    region: "us-east-1",
    bucket: "hello",
    accessKeyId: "id",
    secretAccessKey: "secret",
  };

  it("are replaced by variables of its template", () => {
    const told = storageEnvironment({ SV_S3_BUCKET: "mine", OTHER: "x" }, ours);
    expect({ ...told, SV_S3_BUCKET: "mine" }).toEqual({
      SV_S3_ENDPOINT: "http://127.0.0.1:7081",
      SV_S3_ACCESS_KEY_ID: "id",
      SV_S3_SECRET_ACCESS_KEY: "secret",
      SV_S3_BUCKET: "mine",
      SV_S3_REGION: "us-east-1",
    });
  });

  it.each(["SV_S3_ENDPOINT", "BUCKET_ENDPOINT_URL", "SV_OBJECTS_DIR"])(
    "are absent when its template has %s: our keys go to no other service",
    (name) => {
      expect(storageEnvironment({ [name]: "https://s3.example.test" }, ours)).toEqual({});
      expect(storageEnvironment({ [name]: "" }, ours)).toHaveProperty("SV_S3_BUCKET", "hello");
    },
  );
});
