/** Reads a certificate again at intervals, so that a renewed one is used without a restart. */
import type { Clock, Disarm } from "../core/time/clock.ts";
import {
  type Certificate,
  CertificateError,
  type CertificateFiles,
  readCertificate,
} from "./certificate.ts";

const LOOK_EVERY_MS = 10_000;

export interface CertificateWatchOptions {
  readonly files: CertificateFiles;
  /** Real time. */
  readonly clock: Clock;
  /** Called with each changed certificate. */
  readonly use: (certificate: Certificate) => void;
  readonly info: (sentence: string) => void;
  /** Called with each new warning, once for each. */
  readonly warn: (sentence: string) => void;
}

export class CertificateWatch {
  readonly #options: CertificateWatchOptions;
  #current: Certificate;
  #warned: string | undefined;
  #disarm: Disarm | undefined;
  #looking: Promise<void>;
  #isStopped = false;

  private constructor(options: CertificateWatchOptions, current: Certificate) {
    this.#options = options;
    this.#current = current;
    this.#warnOnce(current.warning);
    this.#looking = Promise.resolve();
    this.#lookLater();
  }

  /** Reads the files for the first time. @throws CertificateError */
  static async open(options: CertificateWatchOptions): Promise<CertificateWatch> {
    return new CertificateWatch(options, await readCertificate(options.files, options.clock.now()));
  }

  /** The last usable certificate of the files. */
  get certificate(): Certificate {
    return this.#current;
  }

  /** Reads the files now. Never rejects: a file that cannot be used is reported, and the last certificate stays. */
  look(): Promise<void> {
    this.#disarm?.();
    this.#looking = this.#looking.then(async () => {
      if (this.#isStopped) return;
      await this.#read();
      this.#lookLater();
    });
    return this.#looking;
  }

  /** Resolves when the files are no longer read. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#disarm?.();
    await this.#looking;
  }

  #lookLater(): void {
    if (this.#isStopped) return;
    const { clock } = this.#options;
    this.#disarm?.();
    this.#disarm = clock.wakeAt(clock.now() + LOOK_EVERY_MS, () => void this.look());
  }

  async #read(): Promise<void> {
    const { files, clock, use, info } = this.#options;
    try {
      const read = await readCertificate(files, clock.now());
      const { cert, key } = this.#current;
      if (!read.cert.equals(cert) || !read.key.equals(key)) {
        this.#current = read;
        use(read);
        info(`the certificate in ${files.cert} has changed; new connections get this one`);
      }
      this.#warnOnce(read.warning);
    } catch (error) {
      if (!(error instanceof CertificateError)) throw error;
      this.#warnOnce(`the previous certificate stays in use: ${error.message}`);
    }
  }

  #warnOnce(sentence: string | undefined): void {
    if (sentence !== undefined && sentence !== this.#warned) this.#options.warn(sentence);
    this.#warned = sentence;
  }
}
