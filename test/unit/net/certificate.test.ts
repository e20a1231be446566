/** The certificate for HTTPS: invalid files, and the use of a renewed one. */
import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import fs from "node:fs";
import { expect, it } from "vitest";
import { CertificateWatch } from "../../../emulator/net/certificate-watch.ts";
import { type Certificate, readCertificate } from "../../../emulator/net/certificate.ts";
import { FakeClock } from "../../fake-clock.ts";
import { makeCertificate, writeCertificate } from "../../setup/certificates.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";

const FROM = new Date("2026-01-01T00:00:00Z");
const TO = new Date("2026-02-01T00:00:00Z");

it("unusable files are refused by their names, with the reason", async () => {
  using temporary = temporaryDirectory();
  const good = makeCertificate();
  const { cert, key } = writeCertificate(temporary.path, good);
  const refusal = async (files: { cert: string; key: string }) => {
    const read: Promise<unknown> = readCertificate(files, Date.now());
    const error = await read.catch((thrown: unknown) => thrown);
    return error instanceof Error ? [error.name, error.message] : error;
  };
  const missing = `${temporary.path}/missing.pem`;
  expect(await refusal({ cert: missing, key })).toEqual([
    "CertificateError",
    expect.stringContaining(`${missing} cannot be read: ENOENT`),
  ]);
  expect(await refusal({ cert: key, key })).toEqual([
    "CertificateError",
    expect.stringContaining(`${key} has no certificate in PEM`),
  ]);
  expect(await refusal({ cert, key: cert })).toEqual([
    "CertificateError",
    expect.stringContaining(`${cert} has no private key in PEM that needs no passphrase`),
  ]);
  const passphrase = { cipher: "aes-256-cbc", passphrase: "secret" };
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const locked = privateKey.export({ type: "pkcs8", format: "pem", ...passphrase });
  writeCertificate(temporary.path, { ...good, key: locked.toString() });
  expect(await refusal({ cert, key })).toEqual([
    "CertificateError",
    expect.stringContaining("needs no passphrase"),
  ]);
  writeCertificate(temporary.path, { ...good, key: makeCertificate().key });
  expect(await refusal({ cert, key })).toEqual([
    "CertificateError",
    `${key} is not the private key of ${cert}`,
  ]);
});

it.each([
  ["2026-01-15T00:00:00Z", undefined],
  ["2026-02-02T00:00:00Z", "has expired at 2026-02-01T00:00:00.000Z: clients refuse it"],
  ["2025-12-31T00:00:00Z", "is valid from 2026-01-01T00:00:00.000Z on: clients refuse it until"],
])("at %s the warning is: %s", async (now, expected) => {
  using temporary = temporaryDirectory();
  const files = writeCertificate(temporary.path, makeCertificate(FROM, TO));
  const { warning } = await readCertificate(files, Date.parse(now));
  if (expected === undefined) expect(warning).toBeUndefined();
  else expect(warning).toContain(expected);
});

/** Log of a watch, on a clock that begins in 2026. */
async function watched(directory: string) {
  const clock = new FakeClock();
  const files = writeCertificate(directory, makeCertificate(FROM, TO));
  const used: Certificate[] = [];
  const said: string[] = [];
  const told = (level: string) => (sentence: string) => void said.push(`${level}: ${sentence}`);
  const use = (certificate: Certificate) => void used.push(certificate);
  const listeners = { use, info: told("info"), warn: told("warn") };
  const watch = await CertificateWatch.open({ files, clock, ...listeners });
  return { clock, files, used, said, watch };
}

it("a named pipe instead of a file is refused at once, and later blocks no stop", async () => {
  using temporary = temporaryDirectory();
  const files = writeCertificate(temporary.path, makeCertificate());
  const clock = new FakeClock(Date.now());
  const warned: string[] = [];
  const listeners = { use: () => undefined, info: () => undefined };
  const warn = (sentence: string) => void warned.push(sentence);
  const watch = await CertificateWatch.open({ files, clock, warn, ...listeners });
  fs.rmSync(files.key);
  execFileSync("mkfifo", [files.key]);
  await expect(readCertificate(files, Date.now())).rejects.toThrow(
    `${files.key} cannot be read: it is no regular file`,
  );
  await watch.look();
  expect(warned).toEqual([expect.stringContaining("the previous certificate stays in use")]);
  await watch.stop();
});

it("a renewed certificate is used from the next check on, or at once on request", async () => {
  using temporary = temporaryDirectory();
  const { clock, files, used, said, watch } = await watched(temporary.path);
  await watch.look();
  expect([used, said]).toEqual([[], []]);
  const next = makeCertificate(FROM, TO);
  writeCertificate(temporary.path, next);
  await watch.look();
  expect(used.map(({ cert }) => cert.toString())).toEqual([next.cert]);
  expect(said).toEqual([
    `info: the certificate in ${files.cert} has changed; new connections get this one`,
  ]);
  writeCertificate(temporary.path, makeCertificate(FROM, TO));
  await clock.advance(9_999);
  expect(used).toHaveLength(1);
  await clock.advance(1);
  await expect.poll(() => used).toHaveLength(2);
  await watch.stop();
  expect(clock.armed).toBe(0);
});

it("while the files do not match the previous certificate stays, which is logged once", async () => {
  using temporary = temporaryDirectory();
  const { files, used, said, watch } = await watched(temporary.path);
  const next = makeCertificate(FROM, TO);
  fs.writeFileSync(files.cert, next.cert);
  await watch.look();
  await watch.look();
  expect(said).toEqual([
    `warn: the previous certificate stays in use: ${files.key} is not the private key of ${files.cert}`,
  ]);
  expect(used).toEqual([]);
  fs.writeFileSync(files.key, next.key);
  await watch.look();
  expect(used).toHaveLength(1);
  await watch.stop();
});

it("the expiry of a certificate is logged when it happens", async () => {
  using temporary = temporaryDirectory();
  const { clock, said, watch } = await watched(temporary.path);
  await clock.standStill(TO.getTime() - FROM.getTime() + 1_000);
  await watch.look();
  await watch.look();
  expect(said).toEqual([expect.stringMatching(/^warn: .* has expired at 2026-02-01/u)]);
  await watch.stop();
});
