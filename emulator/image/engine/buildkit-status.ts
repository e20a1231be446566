/** Translates BuildKit's messages on a build into those of the classic builder. Pure. */
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

/** Id of BuildKit's messages among those of a build. */
export const BUILDKIT_TRACE = "moby.buildkit.trace";

/** Field numbers of BuildKit's StatusResponse, and of its Vertex and VertexLog. */
const STATUS = { vertexes: 1, logs: 3 } as const;
const VERTEX = { name: 3, started: 5, completed: 6 } as const;
const LOG = { msg: 4 } as const;

/** `[packages 2/4] RUN npm ci` */
const NAME = /^\[(?:\S+ )?(\d+)\/(\d+)\] (.*)$/su;

/** @param trace `aux` of the message */
export function classicLines(trace: string): string {
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
