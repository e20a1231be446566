/** Signatures of the SDK's signer are accepted unchanged, and refused after any change. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "../../any-character.ts";
import { type RawRequest, rawRequest } from "../../../emulator/objects/signature/raw-request.ts";
import { canonicalRequest } from "../../../emulator/objects/signature/canonical-request.ts";
import { Signer } from "../../../emulator/objects/signature/signer.ts";
import { holderLookup } from "../../../emulator/objects/access-keys.ts";
import { verify } from "../../../emulator/objects/signature/verify.ts";
import {
  CREDENTIALS,
  HOST,
  NOW,
  presigned,
  type Signed,
  sent,
  signed,
  type Wish,
  WISH,
} from "./sdk-signer.ts";

const text = fc.string({ unit: anyCharacter, maxLength: 12 }).filter((any) => any.isWellFormed());
const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
const wish: fc.Arbitrary<Wish> = fc.record({
  method: fc.constantFrom("GET", "PUT", "POST", "DELETE", "HEAD"),
  key: text,
  query: fc.dictionary(
    fc.oneof(
      word,
      // The library omits a parameter named __proto__.
      text.filter((any) => any !== "" && any !== "__proto__"),
    ),
    text,
    { maxKeys: 4 },
  ),
  headers: fc.dictionary(
    word.map((name) => `x-amz-meta-${name}`),
    fc.stringMatching(/^[!-~]([ -~]{0,10}[!-~])?$/),
    { maxKeys: 3 },
  ),
});

it("any request the SDK signs is accepted", async () => {
  const property = fc.asyncProperty(wish, async (wanted) => {
    const request = sent(await signed(wanted));
    expect(verify(request, holderLookup(CREDENTIALS), NOW)).toMatchObject({ isPresigned: false });
  });
  await fc.assert(property, { numRuns: 150 });
});

it("any address the SDK presigns is accepted", async () => {
  const property = fc.asyncProperty(wish, async (wanted) => {
    const request = sent(await presigned({ ...wanted, headers: {} }, 60));
    expect(verify(request, holderLookup(CREDENTIALS), NOW)).toMatchObject({ isPresigned: true });
  });
  await fc.assert(property, { numRuns: 150 });
});

function expectRefused(request: RawRequest, code: string, now = NOW): void {
  expect(() => verify(request, holderLookup(CREDENTIALS), now)).toThrow(
    expect.objectContaining({ code }),
  );
}

describe("a request that was changed after it was signed", () => {
  it.each<[string, (request: Signed) => Partial<Signed>]>([
    ["method", () => ({ method: "GET" })],
    ["path", ({ path }) => ({ path: `${path}x` })],
    ["bucket", ({ path }) => ({ path: path.replace("bucket", "other") })],
    ["query, longer", ({ query }) => ({ query: { ...query, delete: "" } })],
    ["query, shorter", () => ({ query: {} })],
    ["host", ({ headers }) => ({ headers: { ...headers, host: "elsewhere" } })],
    ["signed header", ({ headers }) => ({ headers: { ...headers, "x-amz-meta-a": "c" } })],
    ["date", ({ headers }) => ({ headers: { ...headers, "x-amz-date": "20260131T235958Z" } })],
  ])("is refused: %s", async (_what, change) => {
    const request = await signed(WISH);
    expect(verify(sent(request), holderLookup(CREDENTIALS), NOW)).toBeDefined();
    expectRefused(sent({ ...request, ...change(request) }), "SignatureDoesNotMatch");
  });

  it("is refused with another secret, region or day", async () => {
    const request = sent(await signed(WISH));
    const other = { ...CREDENTIALS, secretAccessKey: "another" };
    expect(() => verify(request, holderLookup(other), NOW)).toThrow("check the secret access key");
    const headers = new Map(request.headers);
    const authorization = headers.get("authorization") ?? "";
    headers.set("authorization", authorization.replace("eu-central-1", "eu-central-2"));
    expectRefused({ ...request, headers }, "SignatureDoesNotMatch");
    headers.set("authorization", authorization.replace("/20260131/", "/20260130/"));
    expectRefused({ ...request, headers }, "AuthorizationHeaderMalformed");
  });

  it("shows the text to sign, and nothing of the secret", async () => {
    const request = sent({ ...(await signed(WISH)), method: "GET" });
    try {
      verify(request, holderLookup(CREDENTIALS), NOW);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({
        details: {
          AWSAccessKeyId: "SVID",
          CanonicalRequest: expect.stringMatching(
            /^GET\n\/bucket\/a%20b\/%C3%BC%2B%26%3F%23.txt\n/,
          ),
        },
      });
      expect(JSON.stringify(error)).not.toContain(CREDENTIALS.secretAccessKey);
    }
  });

  it("is refused with an unsigned header of S3", async () => {
    const request = await signed(WISH);
    const headers = { ...request.headers, "x-amz-copy-source": "/bucket/other" };
    expectRefused(sent({ ...request, headers }), "AccessDenied");
    const address = await presigned(WISH, 60);
    expectRefused(
      sent({ ...address, headers: { ...address.headers, "x-amz-acl": "x" } }),
      "AccessDenied",
    );
  });
});

describe("the time of a signature", () => {
  const QUARTER_HOUR_MS = 900_000;

  it("makes a request valid for 15 minutes before and after it", async () => {
    const request = sent(await signed(WISH));
    for (const now of [NOW - QUARTER_HOUR_MS, NOW + QUARTER_HOUR_MS]) {
      expect(verify(request, holderLookup(CREDENTIALS), now)).toBeDefined();
    }
    for (const now of [NOW - QUARTER_HOUR_MS - 1, NOW + QUARTER_HOUR_MS + 1]) {
      expectRefused(request, "RequestTimeTooSkewed", now);
    }
  });

  it("makes a presigned address valid until it expires, in a week at most", async () => {
    const address = await presigned(WISH, 604_800);
    expect(verify(sent(address), holderLookup(CREDENTIALS), NOW + 604_800_000)).toBeDefined();
    expectRefused(sent(address), "AccessDenied", NOW + 604_800_001);
    expectRefused(sent(address), "AccessDenied", NOW - QUARTER_HOUR_MS - 1);
    for (const expires of ["604801", "0", "-1", "1e3", ""]) {
      const query = { ...address.query, "X-Amz-Expires": expires };
      expectRefused(sent({ ...address, query }), "AuthorizationQueryParametersError");
    }
  });

  it("can be in the header Date alone", () => {
    const request = (authorization: string) =>
      rawRequest("GET", "/", [
        ...["Host", HOST, "X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD"],
        ...["Date", "Sat, 31 Jan 2026 23:59:59 GMT", "Authorization", authorization],
      ]);
    const names = ["date", "host", "x-amz-content-sha256"];
    const scope = { day: "20260131", region: "eu" };
    const own = new Signer(CREDENTIALS.secretAccessKey, scope, "20260131T235959Z");
    const canonical = canonicalRequest(request(""), "/", names, "UNSIGNED-PAYLOAD");
    const signature = own.sign(own.stringToSign(canonical));
    const authorization =
      "AWS4-HMAC-SHA256 Credential=SVID/20260131/eu/s3/aws4_request, " +
      `SignedHeaders=${names.join(";")}, Signature=${signature}`;
    expect(verify(request(authorization), holderLookup(CREDENTIALS), NOW)).toBeDefined();
    expectRefused(request(authorization), "RequestTimeTooSkewed", NOW + QUARTER_HOUR_MS + 1);
  });
});

describe("requests with an unknown kind of signature", () => {
  const asked = (target: string, ...headers: string[]) =>
    rawRequest("GET", target, ["Host", HOST, ...headers]);

  it.each([
    ["unsigned", asked("/bucket/key"), "AccessDenied"],
    ["Signature Version 2", asked("/", "Authorization", "AWS SVID:abc"), "InvalidRequest"],
    [
      "Version 2, presigned",
      asked("/?AWSAccessKeyId=SVID&Signature=x&Expires=1"),
      "InvalidRequest",
    ],
    ["a bearer token", asked("/", "Authorization", "Bearer key"), "InvalidRequest"],
    [
      "twice",
      asked("/?X-Amz-Signature=x", "Authorization", "AWS4-HMAC-SHA256 x"),
      "InvalidArgument",
    ],
    [
      "without fields",
      asked("/", "Authorization", "AWS4-HMAC-SHA256"),
      "AuthorizationHeaderMalformed",
    ],
    [
      "for another service",
      asked(
        "/",
        "Authorization",
        "AWS4-HMAC-SHA256 Credential=SVID/20260131/x/sqs/aws4_request,SignedHeaders=host,Signature=0",
      ),
      "AuthorizationHeaderMalformed",
    ],
    ["with one parameter only", asked("/?X-Amz-Signature=abc"), "InvalidRequest"],
    [
      "without Host among the signed headers",
      asked(
        "/",
        "X-Amz-Date",
        "20260131T235959Z",
        "Authorization",
        "AWS4-HMAC-SHA256 Credential=SVID/20260131/x/s3/aws4_request,SignedHeaders=x-amz-date,Signature=0",
      ),
      "AuthorizationHeaderMalformed",
    ],
  ])("are refused: %s", (_what, request, code) => expectRefused(request, code));

  it("of another owner are refused", async () => {
    const request = sent(await signed(WISH));
    const other = { ...CREDENTIALS, accessKeyId: "SVOTHER" };
    expect(() => verify(request, holderLookup(other), NOW)).toThrow(
      expect.objectContaining({ code: "InvalidAccessKeyId" }),
    );
  });
});
