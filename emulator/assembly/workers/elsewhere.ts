/** The address that workers from elsewhere connect to, and the certificate of that port. */
import { hash, X509Certificate } from "node:crypto";
import { hostname } from "node:os";
import { authorityOf } from "../../../runtime/protocol/environment/service-address.ts";
import type { Clock } from "../../core/time/clock.ts";
import { isWorkerAddress, WORKER_ADDRESS_RULE } from "../../core/workers/worker-address.ts";
import {
  type CertificateSettling,
  settleWorkerCertificate,
} from "../../engine/access/settle-worker-certificate.ts";
import type { TlsPortOptions } from "../../grpc/tls-port.ts";
import type { WorkerListener } from "../../http/operation/access/worker-listener.ts";
import type { Certificate } from "../../net/certificate.ts";
import { makeCertificate } from "../../net/make-certificate.ts";
import { DEFAULT_HOST } from "../callers.ts";
import type { Ownership } from "../../store/ownership.ts";

/** The options of the port. */
export interface ElsewhereOptions {
  readonly host?: string;
  readonly workerPort?: number;
  readonly workerAddress?: string;
  readonly advertise?: string;
}

const WILDCARDS = new Set(["0.0.0.0", "::", "[::]"]);

/** @throws RangeError */
export function checkWorkerAddress(options: ElsewhereOptions): void {
  const { workerPort, workerAddress, advertise } = options;
  if (workerAddress !== undefined && workerPort === undefined)
    throw new RangeError(
      "workerAddress needs workerPort: it is the address of that port for workers",
    );
  if (workerAddress !== undefined && !isWorkerAddress(workerAddress))
    throw new RangeError(
      `workerAddress must ${WORKER_ADDRESS_RULE}; got ${JSON.stringify(workerAddress)}`,
    );
  if (workerPort === 0 && advertise !== undefined)
    throw new RangeError(
      "workerPort must not be 0 with advertise: other emulators tell it to workers",
    );
}

/**
 * The address for workers from elsewhere; undefined if they cannot connect. Default: the host at which other emulators reach this
 * one, else the listening address, else, for all addresses, the name of this machine.
 *
 * @param port the port that was opened
 */
export function workerAddressOf(
  { host = DEFAULT_HOST, workerPort, workerAddress, advertise }: ElsewhereOptions,
  port = workerPort,
): string | undefined {
  if (port === undefined) return undefined;
  if (workerAddress !== undefined) return `tls://${workerAddress}`;
  const own = WILDCARDS.has(host) ? hostname() : host;
  const name = advertise === undefined ? own : new URL(advertise).hostname;
  return `tls://${authorityOf({ host: name, port })}`;
}

export interface Elsewhere {
  /** The port to open. */
  readonly port: Pick<TlsPortOptions, "certificate" | "listen">;
  readonly listener: WorkerListener;
  /** The address for workers. Set once the port is open. */
  address(): string | undefined;
}

interface ElsewhereParts extends CertificateSettling {
  readonly clock: Clock;
  readonly host: string;
  readonly ownership?: Ownership | undefined;
  /** The certificate of HTTPS, if there is one. */
  readonly given: Certificate | undefined;
  /** The port number. Set once it is open. */
  readonly opened: () => number | undefined;
}

/**
 * The port with its certificate: that of HTTPS, or one that is made and stored. Undefined without a port.
 *
 * @throws StoreUnusableError, StoreFullError
 */
export async function settleElsewhere(
  options: ElsewhereOptions,
  { clock, host, ownership, given, opened, ...settling }: ElsewhereParts,
): Promise<Elsewhere | undefined> {
  const { workerPort: port } = options;
  if (port === undefined) return undefined;
  const certificate = given ?? (await madeCertificate(settling, clock));
  const { raw } = new X509Certificate(certificate.cert);
  const address = () => (opened() === undefined ? undefined : workerAddressOf(options, opened()));
  const listener: WorkerListener = {
    fingerprint: given === undefined ? hash("sha256", raw, "buffer") : undefined,
    addresses() {
      const others = ownership?.replicas().filter(({ id }) => id !== ownership.self.id) ?? [];
      const all = [address(), ...others.map(({ workerAddress }) => workerAddress)];
      return all.filter((each) => each !== undefined);
    },
  };
  return { port: { listen: { host, port }, certificate }, listener, address };
}

async function madeCertificate(
  settling: CertificateSettling,
  clock: Clock,
): Promise<Pick<Certificate, "cert" | "key">> {
  const { cert, key } = await settleWorkerCertificate(settling, async () => {
    const made = await makeCertificate(clock.now());
    return { cert: made.cert.toString(), key: made.key.toString() };
  });
  return { cert: Buffer.from(cert), key: Buffer.from(key) };
}
