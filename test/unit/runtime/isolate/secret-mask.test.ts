/** Secrets are masked in texts, and no secret of a client can break other output. */
import { describe, expect, test } from "vitest";
import { SecretMask } from "../../../../runtime/isolate/secret-mask.ts";

function maskOf(secret: string): SecretMask {
  const mask = new SecretMask({});
  mask.learn(Buffer.from(JSON.stringify({ accessSecret: secret })));
  return mask;
}

describe("a secret is masked", () => {
  const secret = 'a/b+c "quoted" secret';
  const mask = maskOf(secret);

  test.each([
    ["unchanged", secret],
    ["in JSON", JSON.stringify({ secret })],
    ["in a URL", `?key=${encodeURIComponent(secret)}&`],
  ])("in a line and an error: %s", (_, text) => {
    expect(mask.line({ text }).text).toContain("[secret]");
    expect(mask.line({ text }).text).not.toContain("quoted");
    const words = mask.words({ type: "handler_error", message: text, stack: `Error: ${text}` });
    expect(JSON.stringify(words)).not.toContain("quoted");
    expect(words.type).toBe("handler_error");
  });

  test("in the fields of an entry, at any depth", () => {
    const fields = { a: [1, null, { b: `is ${secret}` }], c: "not" };
    const line = mask.line({ jobId: "j", text: "t", level: "info", fields });
    expect(line).toEqual({
      jobId: "j",
      text: "t",
      level: "info",
      fields: { a: [1, null, { b: "is [secret]" }], c: "not" },
    });
  });
});

test("the environment's secrets are known under both sets of names", () => {
  const mask = new SecretMask({
    SV_S3_SECRET_ACCESS_KEY: "first secret",
    BUCKET_SECRET_ACCESS_KEY: "second secret",
  });
  const { text } = mask.line({ text: "first secret, second secret" });
  expect(text).toBe("[secret], [secret]");
});

test.each(['"message":"', "handler_error", "\uD800 all alone", "$&$&$&$&"])(
  "a secret such as %j breaks nothing",
  (secret) => {
    const mask = maskOf(secret);
    const words = { type: "handler_error", message: `says ${secret}` };
    expect(mask.words(words)).toEqual({ type: "handler_error", message: "says [secret]" });
    const fields = { level: `of ${secret}` };
    expect(mask.line({ text: "t", fields })).toEqual({
      text: "t",
      fields: { level: "of [secret]" },
    });
  },
);

test.each(["", "short", "1234567"])(
  "a short secret that could be a common word is not masked: %j",
  (secret) => {
    expect(maskOf(secret).line({ text: "a short 1234567" }).text).toBe("a short 1234567");
  },
);

test.each(["no JSON", "7", "null", "{}", '{"accessSecret":7}'])(
  "an invalid s3Config contains no secret: %s",
  (s3Config) => {
    const mask = new SecretMask({});
    mask.learn(Buffer.from(s3Config));
    expect(mask.line({ text: s3Config }).text).toBe(s3Config);
  },
);

test("the secrets of the last hundred jobs are masked, older ones are not", () => {
  const mask = new SecretMask({});
  for (let job = 0; job <= 100; job++) {
    mask.learn(Buffer.from(JSON.stringify({ accessSecret: `secret of job ${job};` })));
  }
  const { text } = mask.line({ text: "secret of job 0; secret of job 1; secret of job 100;" });
  expect(text).toBe("secret of job 0; [secret] [secret]");
});
