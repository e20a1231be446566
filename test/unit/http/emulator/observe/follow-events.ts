/** Reads the service's events like a client. */
import { TextReader } from "../../operation/answers/text-reader.ts";
import { type TestHttp } from "../../http-harness.ts";

export interface Frame {
  readonly type: string;
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Resolves when the service has told the reader its position, or with the first frame if the reader named one. */
export async function follow(service: TestHttp, query = "", lastEventId?: string) {
  const resumed = lastEventId === undefined ? undefined : { "last-event-id": lastEventId };
  const { body, headers } = await service.open(`/emulator/events${query}`, resumed);
  const reader = new TextReader(body);
  const isNew = resumed === undefined && !query.includes("after=");
  const [, id = ""] = isNew ? (/^id: (.*)\n\n$/.exec(await reader.until("\n\n")) ?? []) : [];
  const next = async (): Promise<Frame> => {
    let frame = await reader.until("\n\n");
    while (frame.startsWith(":")) frame = await reader.until("\n\n");
    const [, type = "", at = "", data = ""] =
      /^event: (\w+)\n(?:id: (.*)\n)?data: (.*)\n\n$/.exec(frame) ?? [];
    return { type, id: at, data: JSON.parse(data) as Frame["data"] };
  };
  const take = async (count: number): Promise<unknown[]> => {
    const events = [];
    for (let nth = 0; nth < count; nth += 1) {
      const {
        type,
        data: { at: _, ...data },
      } = await next();
      events.push({ type, ...data });
    }
    return events;
  };
  /** Reads like a client that lost its connection. */
  const leave = () => void body.destroy();
  return { reader, headers, id, next, take, leave };
}
