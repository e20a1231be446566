/** The uploads and downloads of one job. They end with the job at the latest. */
import type { Transfers } from "./contract.ts";
import type { ObjectStore } from "./object-store.ts";

export interface TransferTerms {
  /** Called at the first use, and again only after a failure. */
  openStore(): Promise<ObjectStore>;
  /** The signal of the job. */
  signal(): AbortSignal;
  tempDir(): string;
}

/** Loads the code at the first transfer, because most handlers have none. */
export class JobTransfers implements Transfers {
  readonly #terms: TransferTerms;
  readonly #stop = new AbortController();
  readonly #open = new Set<Promise<void>>();
  #opening: Promise<ObjectStore> | undefined;
  #hasEnded = false;

  constructor(terms: TransferTerms) {
    this.#terms = terms;
  }

  readonly upload: Transfers["upload"] = (key, body, options = {}) =>
    this.#run(options.signal, async (signal) => {
      const { upload } = await import("./upload/upload.ts");
      return upload(key, body, options, { store: await this.#store(), signal });
    });

  readonly uploadDir: Transfers["uploadDir"] = (prefix, directory, options = {}) =>
    this.#run(options.signal, async (signal) => {
      const { uploadDir } = await import("./upload/upload-dir.ts");
      return uploadDir(prefix, directory, options, { store: await this.#store(), signal });
    });

  readonly download: Transfers["download"] = (from, options = {}) =>
    this.#run(options.signal, async (signal) => {
      const { download } = await import("./download/download.ts");
      const store = (): Promise<ObjectStore> => this.#store();
      return download(from, options, { store, tempDir: () => this.#terms.tempDir(), signal });
    });

  get isBusy(): boolean {
    return this.#open.size > 0;
  }

  /** Resolves when nothing is under way, and failures without a listener have been reported. Never rejects. */
  async settled(): Promise<void> {
    while (this.isBusy) await Promise.all(this.#open);
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Ends running transfers, and allows no further one. */
  end(): void {
    this.#hasEnded = true;
    this.#stop.abort(new DOMException("The job has ended.", "AbortError"));
  }

  async #store(): Promise<ObjectStore> {
    this.#opening ??= this.#terms.openStore();
    try {
      return await this.#opening;
    } catch (failure) {
      this.#opening = undefined;
      throw failure;
    }
  }

  #run<T>(own: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#hasEnded) {
      return Promise.reject(new Error("The job has ended and cannot transfer files any more."));
    }
    const ownSignals = own === undefined ? [] : [own];
    const job = this.#terms.signal();
    const signal = AbortSignal.any([job, this.#stop.signal, ...ownSignals]);
    const running = begun(work, signal);
    const over = running.then(ignore, ignore).then(() => void this.#open.delete(over));
    this.#open.add(over);
    // A separate promise, so that an unhandled failure is reported like any other.
    const told = running.then((value) => value);
    // A transfer that was ended with the job does not count as a failure.
    const excuse = (): void => void told.catch(ignore);
    if (signal.aborted) excuse();
    else signal.addEventListener("abort", excuse, { once: true });
    return told;
  }
}

async function begun<T>(
  work: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  signal.throwIfAborted();
  return work(signal);
}

function ignore(): void {}
