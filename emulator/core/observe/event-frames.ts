/** Splits server-sent events into frames as their text arrives. Pure. */

export interface EventFrame {
  /** `message` without a type of its own. */
  readonly type: string;
  readonly data: string;
  /** Id to go on after. */
  readonly id: string | undefined;
}

export class EventFrameReader {
  #rest = "";

  push(piece: string): readonly EventFrame[] {
    const frames = (this.#rest + piece).split(/\r?\n\r?\n/u);
    this.#rest = frames.pop() ?? "";
    return frames.flatMap((frame) => frameIn(frame) ?? []);
  }
}

/** Undefined for a comment, which only keeps the connection open. A frame without data but with an id marks a position. */
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
