/** Reports to the supervisor synchronously, because the event loop of the handler process may not run again. */
import fs from "node:fs";
import { LIFE_LINE_FD, type LifeLineWords } from "../pipe/frame-kinds.ts";

export function sayAtOnce(words: LifeLineWords): void {
  const line = `${JSON.stringify(words)}\n`;
  for (;;) {
    try {
      fs.writeSync(LIFE_LINE_FD, line);
      return;
    } catch (error) {
      // Whatever else it is, the supervisor is gone.
      if (!isFull(error)) return;
    }
  }
}

function isFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EAGAIN";
}
