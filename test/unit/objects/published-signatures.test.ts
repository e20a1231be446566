/** The signed requests of S3's documentation with their published signatures. */
import { describe, expect, it } from "vitest";
import { rawRequest } from "../../../emulator/objects/signature/raw-request.ts";
import { Signer } from "../../../emulator/objects/signature/signer.ts";
import { holderLookup } from "../../../emulator/objects/access-keys.ts";
import { verify } from "../../../emulator/objects/signature/verify.ts";

const CREDENTIALS = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
};
const NOW = Date.UTC(2013, 4, 24, 0, 0, 30);
const EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
const DATE = "20130524T000000Z";

interface Example {
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signature: string;
}

const EXAMPLES: readonly Example[] = [
  {
    name: "GET Object",
    method: "GET",
    target: "/test.txt",
    headers: { Range: "bytes=0-9", "x-amz-content-sha256": EMPTY, "x-amz-date": DATE },
    signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  },
  {
    name: "PUT Object",
    method: "PUT",
    target: "/test$file.text",
    headers: {
      Date: "Fri, 24 May 2013 00:00:00 GMT",
      "x-amz-content-sha256": "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
      "x-amz-date": DATE,
      "x-amz-storage-class": "REDUCED_REDUNDANCY",
    },
    signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
  },
  {
    name: "GET Bucket Lifecycle",
    method: "GET",
    target: "/?lifecycle",
    headers: { "x-amz-content-sha256": EMPTY, "x-amz-date": DATE },
    signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
  },
  {
    name: "Get Bucket (List Objects)",
    method: "GET",
    target: "/?max-keys=2&prefix=J",
    headers: { "x-amz-content-sha256": EMPTY, "x-amz-date": DATE },
    signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  },
];

function requestOf({ method, target, headers, signature }: Example) {
  const all = { Host: "examplebucket.s3.amazonaws.com", ...headers };
  const signed = Object.keys(all)
    .map((name) => name.toLowerCase())
    .toSorted()
    .join(";");
  const authorization =
    `AWS4-HMAC-SHA256 Credential=${CREDENTIALS.accessKeyId}/20130524/us-east-1/s3/aws4_request,` +
    `SignedHeaders=${signed},Signature=${signature}`;
  return rawRequest(method, target, [
    ...Object.entries(all).flat(),
    "Authorization",
    authorization,
  ]);
}

describe("requests with a signature in a header", () => {
  it.each(EXAMPLES)("$name is accepted with the published signature", (example) => {
    expect(verify(requestOf(example), holderLookup(CREDENTIALS), NOW)).toMatchObject({
      isPresigned: false,
      signature: example.signature,
    });
  });
});

it("the presigned GET is accepted with the published signature, for a day", () => {
  const target =
    "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256" +
    "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request" +
    `&X-Amz-Date=${DATE}&X-Amz-Expires=86400&X-Amz-SignedHeaders=host` +
    "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404";
  const request = rawRequest("GET", target, ["Host", "examplebucket.s3.amazonaws.com"]);
  const madeAt = Date.UTC(2013, 4, 24);
  const verified = verify(request, holderLookup(CREDENTIALS), madeAt + 86_400_000);
  expect(verified).toMatchObject({ isPresigned: true, payloadHash: "UNSIGNED-PAYLOAD" });
  expect(() => verify(request, holderLookup(CREDENTIALS), madeAt + 86_400_001)).toThrow(
    "has expired",
  );
  expect(() => verify(request, holderLookup(CREDENTIALS), madeAt - 15 * 60_000 - 1)).toThrow(
    "not valid yet",
  );
});

describe("bodies in signed chunks", () => {
  const scope = { day: "20130524", region: "us-east-1" };
  const signer = new Signer(CREDENTIALS.secretAccessKey, scope, DATE);
  // 65,536 and 1,024 times the letter a.
  const contents = [
    "bf718b6f653bebc184e1479f1935b8da974d701b893afcf49e701f3e2f9f9c5a",
    "2edc986847e209b4016e141a6dc8716d3207350f416969382d431539bf292e4a",
    EMPTY,
  ];

  function chain(seed: string): readonly string[] {
    let previous = seed;
    return contents.map((digest) => (previous = signer.signChunk(previous, digest)));
  }

  it("each chunk's signature is the published one", () => {
    const seed = "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9";
    expect(chain(seed)).toEqual([
      "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
      "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
      "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9",
    ]);
  });

  it("with a trailer, each chunk's signature and the trailer's are the published ones", () => {
    const seed = "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e";
    const [, , last = ""] = chain(seed);
    expect(chain(seed)).toEqual([
      "b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2",
      "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7",
      "2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992",
    ]);
    expect(signer.signTrailer(last, "x-amz-checksum-crc32c:sOO8/Q==\n")).toBe(
      "d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435",
    );
  });
});
