/** Makes a self-signed certificate. Peers have to know it. */
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type { Certificate } from "./certificate.ts";

const DAY_MS = 86_400_000;

/** Days of validity: 100 years, so that no date locks workers out. */
const GOOD_FOR_DAYS = 100 * 365;

/** Days before now from which it is valid, for peers with a slow clock. */
const GOOD_BEFORE_DAYS = 1;

const NAME = "sv-runtime workers";
const SERIAL_BYTES = 16;

/** `ecdsa-with-SHA256` (RFC 5758). */
const ECDSA_WITH_SHA256 = "1.2.840.10045.4.3.2";
/** `id-at-commonName` (RFC 5280). */
const COMMON_NAME = "2.5.4.3";

/** EC P-256, self-signed, in PEM. @param now ms since the epoch */
export async function makeCertificate(now: number): Promise<Pick<Certificate, "cert" | "key">> {
  // Loaded here because only the first start of a data directory needs them.
  const { AsnConvert } = await import("@peculiar/asn1-schema");
  const x509 = await import("@peculiar/asn1-x509");
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = new x509.AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 });
  const name = new x509.Name([
    new x509.RelativeDistinguishedName([
      new x509.AttributeTypeAndValue({
        type: COMMON_NAME,
        value: new x509.AttributeValue({ utf8String: NAME }),
      }),
    ]),
  ]);
  const tbsCertificate = new x509.TBSCertificate({
    version: x509.Version.v3,
    serialNumber: bytes(positive(randomBytes(SERIAL_BYTES))),
    signature: algorithm,
    issuer: name,
    subject: name,
    validity: new x509.Validity({
      notBefore: new Date(now - GOOD_BEFORE_DAYS * DAY_MS),
      notAfter: new Date(now + GOOD_FOR_DAYS * DAY_MS),
    }),
    subjectPublicKeyInfo: AsnConvert.parse(
      publicKey.export({ type: "spki", format: "der" }),
      x509.SubjectPublicKeyInfo,
    ),
  });
  const signed = Buffer.from(AsnConvert.serialize(tbsCertificate));
  const certificate = new x509.Certificate({
    tbsCertificate,
    signatureAlgorithm: algorithm,
    signatureValue: bytes(sign("sha256", signed, privateKey)),
  });
  return {
    cert: pem(Buffer.from(AsnConvert.serialize(certificate))),
    key: Buffer.from(privateKey.export({ type: "pkcs8", format: "pem" })),
  };
}

/** A serial number must be above zero. */
function positive(number: Buffer): Buffer {
  number[0] = ((number[0] ?? 0) & 0x7f) | 0x40;
  return number;
}

function bytes(buffer: Buffer): ArrayBuffer {
  return new Uint8Array(buffer).buffer;
}

function pem(der: Buffer): Buffer {
  const lines = der.toString("base64").match(/.{1,64}/gu) ?? [];
  return Buffer.from(
    ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n"),
  );
}
