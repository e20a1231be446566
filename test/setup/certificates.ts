/** Self-signed certificates that tests create: minimal X.509 in DER. */
import { generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

export interface TestCertificate {
  /** PEM; also the certificate that clients trust. */
  readonly cert: string;
  readonly key: string;
}

const DAY_MS = 86_400_000;

/** Creates a certificate for `localhost` and 127.0.0.1, by default valid from yesterday until tomorrow. */
export function makeCertificate(
  from = new Date(Date.now() - DAY_MS),
  to = new Date(Date.now() + DAY_MS),
): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const body = bodyOf(publicKey, from, to);
  const signature = bits(sign("sha256", body, privateKey));
  const der = sequence(body, sequence(ECDSA_WITH_SHA256), signature);
  const lines = der.toString("base64").match(/.{1,64}/gu) ?? [];
  return {
    cert: ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n"),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/** Writes both to files of a directory, replacing existing ones. */
export function writeCertificate(directory: string, { cert, key }: TestCertificate) {
  const files = { cert: path.join(directory, "cert.pem"), key: path.join(directory, "key.pem") };
  fs.writeFileSync(files.cert, cert);
  fs.writeFileSync(files.key, key);
  return files;
}

function value(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: readonly Uint8Array[]) => value(0x30, ...parts);
const bits = (content: Uint8Array) => value(0x03, Buffer.from([0]), content);
const named = (hex: string) => value(0x06, Buffer.from(hex, "hex"));
const integer = (number: number) => value(0x02, Buffer.from([number]));

const ECDSA_WITH_SHA256 = named("2a8648ce3d040302");
const COMMON_NAME = named("550403");
const ALTERNATIVE_NAMES = named("551d11");

function bodyOf(publicKey: KeyObject, from: Date, to: Date): Buffer {
  // Its own key id, by which clients tell several certificates apart.
  const commonName = value(0x0c, Buffer.from(randomUUID()));
  const name = sequence(value(0x31, sequence(COMMON_NAME, commonName)));
  const names = sequence(
    value(0x82, Buffer.from("localhost")),
    value(0x87, Buffer.from([127, 0, 0, 1])),
  );
  return sequence(
    value(0xa0, integer(2)),
    integer(1),
    sequence(ECDSA_WITH_SHA256),
    name,
    sequence(moment(from), moment(to)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    value(0xa3, sequence(sequence(ALTERNATIVE_NAMES, value(0x04, names)))),
  );
}

/** Time as `YYMMDDHHMMSSZ` */
function moment(at: Date): Buffer {
  const digits = at.toISOString().replaceAll(/\.\d+|\D/gu, "");
  return value(0x17, Buffer.from(`${digits.slice(2, 14)}Z`));
}
