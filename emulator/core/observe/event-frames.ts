/** Takes server-sent events apart as their text arrives. Pure. */

export interface EventFrame {
  /** `message` where it has none of its own. */
  readonly type: string;
  readonly data: string;
  /** To go on behind it later. */
  readonly id: string | undefined;
}

export class EventFrameReader {
  #rest = "";

  /** The frames that are complete with this piece. */
  push(piece: string): readonly EventFrame[] {
    const frames = (this.#rest + piece).split(/\r?\n\r?\n/u);
    this.#rest = frames.pop() ?? "";
    return frames.flatMap((frame) => frameIn(frame) ?? []);
  }
}

/** Undefined for a comment, which only keeps the connection open. What has no data but an id says where to go on. */
function frameIn(text: string): EventFrame | undefined {
  let [type, id]: [string, string | undefined] = ["message", undefined];
  const data: string[] = [];
  for (const line of text.split(/\r?\n/u)) {
    const [, name, value = ""] = /^([a-z]+):? ?(.*)$/su.exec(line) ?? [];
    if (name === "event") type = value;
    else if (name === "id") id = value;
    else if (name === "data") data.push(value);
  }
  return data.length === 0 && id === undefined ? undefined : { type, data: data.join("\n"), id };
}
