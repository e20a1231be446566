/** Reads a log stream of REST v2. */
import type { TestHttp } from "../../http-harness.ts";
import { TextReader } from "../../operation/answers/text-reader.ts";

interface Event {
  readonly id: string;
  readonly data: { readonly source: string; readonly line: string; readonly ts: string };
}

function eventIn(frame: string): Event {
  const [, id = "", data = ""] = /^id: (\S+)\ndata: (.*)\n\n$/.exec(frame) ?? [];
  return { id, data: JSON.parse(data) as Event["data"] };
}

/** Opens a log stream, and reads its events one by one. */
export async function openLog(
  service: TestHttp,
  path: string,
  headers: Record<string, string> = {},
) {
  const { body, statusCode, headers: answered } = await service.open(path, headers);
  const reader = new TextReader(body);
  const next = async () => eventIn(await reader.until("\n\n"));
  const lines = async (count: number) => {
    const read: string[] = [];
    while (read.length < count) read.push((await next()).data.line);
    return read;
  };
  return { reader, next, lines, statusCode, headers: answered };
}
