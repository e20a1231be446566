/** The progress of building an image, made from the engine's messages. */
import { stripVTControlCharacters } from "node:util";
import { type EngineMessage, readEngineMessage } from "../../docker/engine-message.ts";
import { LayerTransfer } from "../../docker/layer-transfer.ts";
import { BUILDKIT_TRACE, type LayerProgress, readTrace } from "./buildkit-trace.ts";

export type BuildProgress =
  /** A step of the Dockerfile begins. The first step is 1. */
  | { readonly kind: "step"; readonly at: number; readonly of: number; readonly what: string }
  | { readonly kind: "output"; readonly line: string }
  /** A transfer: the build context to the engine, or layers from or to a registry. */
  | {
      readonly kind: "bytes";
      readonly what: "context" | "pull" | "push";
      readonly doneBytes: number;
      readonly totalBytes: number;
    }
  /** Any other line. */
  | { readonly kind: "note"; readonly line: string };

/** Maximum number of lines that are kept of a build's output. */
const KEPT_LINES = 1_000;

/** Prefix of a sentence by which a step of this project explains its failure. */
export const SENTENCE = "sv-emulate: ";

const STEP = /^Step (\d+)\/(\d+) : (.*)$/u;
/** The image that a step has made or found. */
const MADE = /^ ---> ([0-9a-f]{12})$/u;
/** The last line of engines that do not tell the image's id otherwise. */
const BUILT = /^Successfully built ([0-9a-f]{12,64})$/u;
/** Messages that are not shown: hashes of layers, and the engine's own activities. */
const OF_A_LAYER = /^[0-9a-f]{12}: |ing$/u;

const NO_MESSAGE: EngineMessage = readEngineMessage({});

/** Follows the messages of one build or push. */
export class EngineOutput {
  error: string | undefined;
  /** Id of the built image. */
  imageId: string | undefined;
  readonly #progress: (progress: BuildProgress) => void;
  readonly #transferKind: "pull" | "push";
  readonly #lines: string[] = [];
  readonly #sentences: string[] = [];
  readonly #stages: string[] = [];
  /** Names of BuildKit's steps. */
  readonly #toldSteps = new Set<string>();
  /** The image that the last step has made. */
  #made: string | undefined;
  #layers = new LayerTransfer();
  #lastStatus = "";

  constructor(transferKind: "pull" | "push", progress: (progress: BuildProgress) => void) {
    this.#transferKind = transferKind;
    this.#progress = progress;
  }

  /** The last lines of the output. */
  get lines(): readonly string[] {
    return this.#lines.slice(-KEPT_LINES);
  }

  /** The images of the finished stages, except for the last one. */
  get stages(): readonly string[] {
    return this.#stages;
  }

  /** The sentences by which this project's steps explain their failure. */
  get sentences(): readonly string[] {
    return this.#sentences;
  }

  /** The images that hold the steps of the finished stages, and those of an unfinished one. */
  get leftovers(): readonly string[] {
    const last = this.imageId === undefined && this.#made !== undefined ? [this.#made] : [];
    return [...this.#stages, ...last];
  }

  add(message: EngineMessage): void {
    if (message.error !== undefined) this.error = message.error.trim();
    const { id, aux, stream = "" } = message;
    this.imageId = message.imageId ?? this.imageId;
    if (id === BUILDKIT_TRACE) {
      const { text, transfers } = readTrace(aux ?? "", this.#toldSteps);
      this.#addText(text);
      this.#addTransfers(transfers);
      return;
    }
    this.#addText(stream);
    if (this.#layers.note(message)) this.#tellBytes();
    else this.#addStatus(message);
  }

  #addText(text: string): void {
    for (const line of text.split(/\r?\n/u)) this.#addLine(line.trimEnd());
  }

  #addTransfers(transfers: readonly LayerProgress[]): void {
    for (const transfer of transfers) {
      this.#layers.note({ ...NO_MESSAGE, ...transfer, status: "Downloading" });
    }
    if (transfers.length > 0) this.#tellBytes();
  }

  #tellBytes(): void {
    const { doneBytes, totalBytes } = this.#layers;
    if (totalBytes === 0) return;
    this.#progress({ kind: "bytes", what: this.#transferKind, doneBytes, totalBytes });
  }

  #addStatus({ id, status }: EngineMessage): void {
    const said = status === undefined ? "" : [id, status].filter(Boolean).join(": ");
    if (said !== "" && said !== this.#lastStatus && !OF_A_LAYER.test(said)) {
      this.#progress({ kind: "note", line: said });
    }
    this.#lastStatus = said;
  }

  #addLine(line: string): void {
    if (line === "") return;
    this.#lines.push(line);
    if (this.#lines.length > 2 * KEPT_LINES) this.#lines.splice(0, KEPT_LINES);
    const said = stripVTControlCharacters(line);
    if (said.startsWith(SENTENCE)) this.#sentences.push(said.slice(SENTENCE.length));
    [, this.#made = this.#made] = MADE.exec(line) ?? [];
    this.imageId ??= BUILT.exec(line)?.[1];
    const [, at, of, what] = STEP.exec(line) ?? [];
    if (what === undefined) {
      this.#progress({ kind: "output", line });
      return;
    }
    // A stage may begin with a pull.
    this.#layers = new LayerTransfer();
    if (this.#made !== undefined && what.startsWith("FROM ")) this.#stages.push(this.#made);
    this.#progress({ kind: "step", at: Number(at), of: Number(of), what });
  }
}
