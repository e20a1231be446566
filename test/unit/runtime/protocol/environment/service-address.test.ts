/** Valid addresses of a service, and the certificate fingerprint in a token. */
import { expect, it } from "vitest";
import {
  placeText,
  servicePlaces,
} from "../../../../../runtime/protocol/environment/service-address.ts";
import {
  fingerprintIn,
  workerToken,
} from "../../../../../runtime/protocol/environment/worker-token.ts";

const tls = (host: string, port: number) => ({ kind: "tls", host, port });
const plain = (target: string) => ({ kind: "plain", target });

/** The path has 103 bytes. */
const LONGEST = `unix:///${"x".repeat(102)}`;

it.each([
  ["unix:/run/a.sock", [plain("unix:/run/a.sock")]],
  [LONGEST, [plain(LONGEST)]],
  ["127.0.0.1:1", [plain("127.0.0.1:1")]],
  ["localhost:65535, [::1]:2", [plain("localhost:65535"), plain("[::1]:2")]],
  ["tls://gpu.example.com:7443", [tls("gpu.example.com", 7443)]],
  ["TLS://10.0.0.7:1,tls://[fe80::1]:2", [tls("10.0.0.7", 1), tls("fe80::1", 2)]],
])("%s is parsed to its addresses", (text, places) => {
  const found = servicePlaces(text);
  expect(found).toEqual(places);
  expect(found?.map(placeText).join(",").toLowerCase()).toBe(text.replace(" ", "").toLowerCase());
});

it.each([
  ...[
    `${LONGEST}x`,
    "",
    "tls://",
    "tls://a",
    "tls://a:0",
    "tls://a:65536",
    "tls://a:x",
    "tls://a:1/path",
  ],
  ...["tls://u@a:1", "https://a:1", "unix:", "a:1,", "tls://a:1,,tls://b:1", "tls://::1:1"],
  // Anyone on the network could read the token.
  ...["10.0.0.7:1", "gpu.example.com:7443", "tls://a:1,10.0.0.7:1", "127.0.0.1.example.com:1"],
])("%j is no address", (text) => {
  expect(servicePlaces(text)).toBeUndefined();
});

it("a token has a fingerprint after its last dot, if there is one", () => {
  const fingerprint = Buffer.alloc(32, 250);
  const token = workerToken("sv_a.b", fingerprint);
  expect(fingerprintIn(token)).toBe(fingerprint.toString("base64url"));
  expect(workerToken("sv_a", undefined)).toBe("sv_a");
  for (const none of ["sv_a", "sv_a.b", `${token}x`, ""])
    expect(fingerprintIn(none)).toBeUndefined();
});
