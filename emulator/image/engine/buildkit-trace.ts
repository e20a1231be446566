/** Reads BuildKit's messages about a build: steps and their output as lines of the classic builder, and transferred layers. */
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

/** Id of BuildKit's messages among those of a build. */
export const BUILDKIT_TRACE = "moby.buildkit.trace";

export interface BuildKitTrace {
  readonly text: string;
  readonly transfers: readonly LayerProgress[];
}

export interface LayerProgress {
  readonly id: string;
  readonly doneBytes: number;
  readonly totalBytes: number;
}

/** Field numbers of BuildKit's StatusResponse, and of its Vertex, VertexStatus and VertexLog. */
const RESPONSE = { vertexes: 1, statuses: 2, logs: 3 } as const;
const VERTEX = { name: 3, started: 5 } as const;
const STATUS = { id: 1, name: 3, done: 4, total: 5 } as const;
const LOG = { msg: 4 } as const;

/** `[packages 2/4] RUN npm ci` */
const NAME = /^\[(?:\S+ )?(\d+)\/(\d+)\] (.*)$/su;

/**
 * @param trace `aux` of the message
 * @param told names of the steps of earlier messages, to which new ones are added
 */
export function readTrace(trace: string, told: Set<string>): BuildKitTrace {
  const response = fieldsOf(Buffer.from(trace, "base64"));
  const steps = messagesOf(response, RESPONSE.vertexes).flatMap((vertex) => {
    const name = textOf(vertex, VERTEX.name);
    const [, at, of, what] = NAME.exec(name) ?? [];
    if (!vertex.has(VERTEX.started) || what === undefined || told.has(name)) return [];
    told.add(name);
    return [`Step ${at}/${of} : ${what}\n`];
  });
  const logs = messagesOf(response, RESPONSE.logs).map((log) => textOf(log, LOG.msg));
  const transfers = messagesOf(response, RESPONSE.statuses).flatMap((status) => {
    if (textOf(status, STATUS.name) !== "downloading") return [];
    const doneBytes = numberOf(status, STATUS.done);
    const totalBytes = Math.max(doneBytes, numberOf(status, STATUS.total));
    return [{ id: textOf(status, STATUS.id), doneBytes, totalBytes }];
  });
  return { text: [...steps, ...logs].join(""), transfers };
}

type Fields = ReadonlyMap<number, readonly (Uint8Array | number)[]>;

/** The numbers, and the fields with a length: texts, bytes and messages. */
function fieldsOf(message: Uint8Array): Fields {
  const fields = new Map<number, (Uint8Array | number)[]>();
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    const values = fields.get(field) ?? [];
    if (type === WireType.LengthDelimited) values.push(reader.bytes());
    else if (type === WireType.Varint) values.push(Number(reader.int64()));
    else reader.skip(type);
    fields.set(field, values);
  }
  return fields;
}

function messagesOf(fields: Fields, field: number): readonly Fields[] {
  const values = fields.get(field) ?? [];
  return values.flatMap((value) => (typeof value === "number" ? [] : [fieldsOf(value)]));
}

function textOf(fields: Fields, field: number): string {
  const [value] = fields.get(field) ?? [];
  return typeof value === "object" ? Buffer.from(value).toString() : "";
}

function numberOf(fields: Fields, field: number): number {
  const [value] = fields.get(field) ?? [];
  return typeof value === "number" ? value : 0;
}
