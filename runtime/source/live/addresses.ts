/** The addresses of the live queue, from the templates in the worker's environment. */

/** The values of `$ID`, `$RUNPOD_POD_ID` and `$RUNPOD_GPU_TYPE_ID`. */
export interface AddressTemplates {
  readonly workerId: string;
  readonly gpuTypeId: string;
  /** `$ID` is the worker here, as `$RUNPOD_POD_ID` is. */
  readonly take: string;
  /** `$ID` is the job here and in `stream`. */
  readonly done: string;
  readonly stream: string;
  readonly ping: string | undefined;
}

/** The part of an address that is replaced in the addresses for several jobs and for stops (live). */
const TAKE = "/job-take/";

export class LiveAddresses {
  readonly #of: Pick<AddressTemplates, "take" | "done" | "stream" | "ping">;

  constructor({ workerId, gpuTypeId, take, done, stream, ping }: AddressTemplates) {
    const ours = (template: string): string =>
      filled(filled(template, "$RUNPOD_POD_ID", workerId), "$RUNPOD_GPU_TYPE_ID", gpuTypeId);
    const forWorker = (template: string): string => filled(ours(template), "$ID", workerId);
    this.#of = {
      take: forWorker(take),
      done: ours(done),
      stream: ours(stream),
      ping: ping === undefined ? undefined : forWorker(ping),
    };
  }

  /** Whether the addresses for batches and stops follow from the address for jobs. */
  get hasBatches(): boolean {
    return this.#of.take.includes(TAKE);
  }

  /**
   * Address for taking jobs. With a `count` of 1 the answer is an object with one job, otherwise a list with up to `count`
   * jobs.
   */
  take(count: number, isBusy: boolean): string {
    const busy = `job_in_progress=${isBusy ? 1 : 0}`;
    if (count === 1 || !this.hasBatches) return withQuery(this.#of.take, busy);
    return withQuery(
      this.#of.take.replace(TAKE, "/job-take-batch/"),
      `batch_size=${count}&${busy}`,
    );
  }

  /** The address of the poll for jobs to stop; undefined if unknown. */
  get stop(): string | undefined {
    return this.hasBatches ? this.#of.take.replace(TAKE, "/job-stop/") : undefined;
  }

  /** Address for a job's progress and its result. */
  done(jobId: string, isStream: boolean): string {
    return withQuery(filled(this.#of.done, "$ID", jobId), `isStream=${isStream}`);
  }

  /** Address for a chunk. It says `isStream=false`, as the SDK's workers do (live). */
  stream(jobId: string): string {
    return withQuery(filled(this.#of.stream, "$ID", jobId), "isStream=false");
  }

  /** The address of the ping with these parameters; undefined if no ping is wanted. */
  ping(query: Readonly<Record<string, string | undefined>>): string | undefined {
    if (this.#of.ping === undefined) return undefined;
    const pairs = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
    );
    return withQuery(this.#of.ping, pairs.join("&"));
  }
}

function filled(template: string, name: string, value: string): string {
  return template.replaceAll(name, () => encodeURIComponent(value));
}

/** Most templates contain a `?`, sometimes at the end. */
function withQuery(address: string, query: string): string {
  if (!address.includes("?")) return `${address}?${query}`;
  return /[?&]$/u.test(address) ? address + query : `${address}&${query}`;
}
