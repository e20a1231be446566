/** Takes server-sent events apart as their text arrives. */

export interface Frame {
  /** `message` where it has none of its own. */
  readonly type: string;
  readonly data: string;
  /** To go on behind it later. */
  readonly id: string | undefined;
}

/** Hands on the frames of an answer, piece by piece: none for a piece without a whole one. Ends with the answer. */
export async function readFrames(
  { body }: Pick<Response, "body">,
  take: (frames: readonly Frame[]) => void,
): Promise<void> {
  const frames = new FrameReader();
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const piece = await reader?.read();
    if (piece?.value === undefined) return;
    take(frames.push(piece.value));
  }
}

export class FrameReader {
  #rest = "";

  /** The frames that are complete with this piece. */
  push(piece: string): readonly Frame[] {
    const frames = (this.#rest + piece).split(/\r?\n\r?\n/u);
    this.#rest = frames.pop() ?? "";
    return frames.flatMap((frame) => frameIn(frame) ?? []);
  }
}

/** Undefined for a comment, which only keeps the connection open. What has no data but an id says where to go on. */
function frameIn(text: string): Frame | undefined {
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
