/** Reads and checks the certificate of a port with TLS. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { createSecureContext } from "node:tls";

/** PEM files: the certificate followed by those of its authorities, and its private key. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** Reason why clients may refuse it: it has expired, or is not valid yet. */
  readonly warning: string | undefined;
}

/** A file cannot be used. The message says which one, and why. */
export class CertificateError extends Error {
  override readonly name = "CertificateError";
}

/**
 * @param now ms since the epoch
 * @throws CertificateError for a file that cannot be read or has other content, and for two that do not match
 */
export async function readCertificate(files: CertificateFiles, now: number): Promise<Certificate> {
  const [cert, key] = await Promise.all([contentOf(files.cert), contentOf(files.key)]);
  const certificate = parsed(
    () => new X509Certificate(cert),
    `${files.cert} has no certificate in PEM`,
  );
  const privateKey = parsed(
    () => createPrivateKey(key),
    `${files.key} has no private key in PEM that needs no passphrase`,
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw new CertificateError(`${files.key} is not the private key of ${files.cert}`);
  parsed(() => createSecureContext({ cert, key }), `${files.cert} cannot be used for TLS`);
  return { cert, key, warning: warningOf(certificate, files.cert, now) };
}

/** Refuses named pipes: a read of one would wait without end. */
async function readRegularFile(file: string): Promise<Buffer> {
  await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  if (!(await handle.stat()).isFile()) throw new Error("it is no regular file");
  return await handle.readFile();
}

async function contentOf(file: string): Promise<Buffer> {
  try {
    return await readRegularFile(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CertificateError(`${file} cannot be read: ${reason}`, { cause: error });
  }
}

function parsed<T>(parse: () => T, message: string): T {
  try {
    return parse();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CertificateError(`${message}: ${reason}`, { cause: error });
  }
}

function warningOf(
  { validFromDate: from, validToDate: to }: X509Certificate,
  file: string,
  now: number,
): string | undefined {
  if (now > to.getTime())
    return `the certificate in ${file} has expired at ${to.toISOString()}: clients refuse it`;
  if (now < from.getTime())
    return `the certificate in ${file} is valid from ${from.toISOString()} on: clients refuse it until then`;
  return undefined;
}
