/** Makes of the engine's many messages on a pull a few lines for the log. Pure. */

interface Layer {
  readonly doneBytes: number;
  readonly totalBytes: number;
  readonly isThere: boolean;
}

/** The engine said in the midst of its answer that the pull has failed. */
export class PullFailed extends Error {
  override readonly name = "PullFailed";
}

const STEPS = 10;
/** What is quicker than a line can be read is not worth one. */
const STEP_MIN_BYTES = 1_000_000;

export class PullProgress {
  readonly #layers = new Map<string, Layer>();
  #toldBytes = 0;

  /** A line when a further tenth or so has come. @throws PullFailed when the message says so */
  take(message: unknown): string | undefined {
    const { error, status, id, progressDetail } = partsOf(message);
    if (error !== undefined) throw new PullFailed(error);
    if (status === undefined || id === undefined) return undefined;
    this.#note(id, status, progressDetail);
    return this.#line();
  }

  #note(id: string, status: string, { current, total }: Amount): void {
    const known = this.#layers.get(id) ?? { doneBytes: 0, totalBytes: 0, isThere: false };
    const downloaded = { ...known, doneBytes: Math.max(known.totalBytes, known.doneBytes) };
    if (status === "Pull complete" || status === "Already exists")
      this.#layers.set(id, { ...downloaded, isThere: true });
    else if (status === "Download complete") this.#layers.set(id, downloaded);
    else if (status === "Downloading")
      this.#layers.set(id, { ...known, doneBytes: current, totalBytes: total });
    else if (status === "Pulling fs layer") this.#layers.set(id, known);
  }

  #line(): string | undefined {
    const layers = [...this.#layers.values()];
    const sum = (bytes: (layer: Layer) => number) =>
      layers.reduce((all, each) => all + bytes(each), 0);
    const done = sum(({ doneBytes }) => doneBytes);
    const total = sum(({ totalBytes }) => totalBytes);
    if (done - this.#toldBytes < Math.max(total / STEPS, STEP_MIN_BYTES)) return undefined;
    this.#toldBytes = done;
    const there = layers.filter(({ isThere }) => isThere).length;
    return `${inMb(done)} of ${inMb(total)} MB, ${there} of ${layers.length} layers unpacked`;
  }
}

interface Amount {
  readonly current: number;
  readonly total: number;
}

interface Parts {
  readonly error: string | undefined;
  readonly status: string | undefined;
  readonly id: string | undefined;
  readonly progressDetail: Amount;
}

function partsOf(message: unknown): Parts {
  const fields = fieldsOf(message);
  const detail = fieldsOf(fields["progressDetail"]);
  const current = numberOf(detail["current"]);
  return {
    error: textOf(fields["error"]),
    status: textOf(fields["status"]),
    id: textOf(fields["id"]),
    progressDetail: { current, total: Math.max(current, numberOf(detail["total"])) },
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numberOf(value: unknown): number {
  return typeof value === "number" && value > 0 ? value : 0;
}

function inMb(bytes: number): string {
  return String(Math.round(bytes / 1e6));
}
