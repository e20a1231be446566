/** The progress of building an image, made from the engine's messages. */
import { stripVTControlCharacters } from "node:util";
import type { EngineMessage } from "../../docker/engine-message.ts";
import { LayerTransfer } from "../../docker/layer-transfer.ts";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

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

/** Maximum number of lines that are shown of a failed build. */
const TAIL_LINES = 30;

/** Prefix of a sentence by which a step of this project explains its failure. */
export const SENTENCE = "sv-emulate: ";

const STEP = /^Step (\d+)\/(\d+) : (.*)$/u;
/** The image that a step has made or found. */
const MADE = /^ ---> ([0-9a-f]{12})$/u;
/** Messages that are not shown: hashes of layers, and the engine's own activities. */
const OF_A_LAYER = /^[0-9a-f]{12}: |ing$/u;

/** Follows the messages of one build or push. */
export class EngineOutput {
  error: string | undefined;
  readonly #progress: (progress: BuildProgress) => void;
  readonly #transferKind: "pull" | "push";
  readonly #lines: string[] = [];
  readonly #sentences: string[] = [];
  readonly #stages: string[] = [];
  #made: string | undefined;
  #layers = new LayerTransfer();
  #lastStatus = "";

  constructor(transferKind: "pull" | "push", progress: (progress: BuildProgress) => void) {
    this.#transferKind = transferKind;
    this.#progress = progress;
  }

  /** The last lines of the output. */
  get tail(): readonly string[] {
    return this.#lines.slice(-TAIL_LINES);
  }

  /** The images of the finished stages, except for the last one. */
  get stages(): readonly string[] {
    return this.#stages;
  }

  /** The sentences by which this project's steps explain their failure. */
  get sentences(): readonly string[] {
    return this.#sentences;
  }

  add(message: EngineMessage): void {
    if (message.error !== undefined) this.error = message.error.trim();
    const { id, aux, stream = "" } = message;
    const text = id === BUILDKIT_TRACE && aux !== undefined ? classicLines(aux) : stream;
    for (const line of text.split(/\r?\n/u)) this.#addLine(line.trimEnd());
    if (this.#layers.note(message)) this.#tellBytes();
    else this.#addStatus(message);
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
    if (this.#lines.length > 2 * TAIL_LINES) this.#lines.splice(0, TAIL_LINES);
    const said = stripVTControlCharacters(line);
    if (said.startsWith(SENTENCE)) this.#sentences.push(said.slice(SENTENCE.length));
    [, this.#made = this.#made] = MADE.exec(line) ?? [];
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

/** Id of BuildKit's messages among those of a build. */
const BUILDKIT_TRACE = "moby.buildkit.trace";

/** Field numbers of BuildKit's StatusResponse, and of its Vertex and VertexLog. */
const STATUS = { vertexes: 1, logs: 3 } as const;
const VERTEX = { name: 3, started: 5, completed: 6 } as const;
const LOG = { msg: 4 } as const;

/** `[packages 2/4] RUN npm ci` */
const NAME = /^\[(?:\S+ )?(\d+)\/(\d+)\] (.*)$/su;

/** @param trace `aux` of the message */
function classicLines(trace: string): string {
  const status = fieldsOf(Buffer.from(trace, "base64"));
  const steps = (status.get(STATUS.vertexes) ?? []).flatMap((bytes) => {
    const vertex = fieldsOf(bytes);
    const begins = vertex.has(VERTEX.started) && !vertex.has(VERTEX.completed);
    const [, at, of, what] = NAME.exec(textOf(vertex, VERTEX.name)) ?? [];
    return begins && what !== undefined ? [`Step ${at}/${of} : ${what}\n`] : [];
  });
  const logs = (status.get(STATUS.logs) ?? []).map((bytes) => textOf(fieldsOf(bytes), LOG.msg));
  return [...steps, ...logs].join("");
}

type Fields = ReadonlyMap<number, readonly Uint8Array[]>;

/** The fields with a length: texts, bytes and messages. */
function fieldsOf(message: Uint8Array): Fields {
  const fields = new Map<number, Uint8Array[]>();
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (type === WireType.LengthDelimited)
      fields.set(field, [...(fields.get(field) ?? []), reader.bytes()]);
    else reader.skip(type);
  }
  return fields;
}

function textOf(fields: Fields, field: number): string {
  return Buffer.from(fields.get(field)?.[0] ?? []).toString();
}
