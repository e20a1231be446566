/** Where log lines go: stderr, written beside the event loop and in bounded memory, so that a slow reader holds up no job. */

import type pino from "pino";

/** Lines that wait for a slow reader; what comes on top is dropped and counted. */
const MAX_WAITING_BYTES = 16_000_000;
const STDERR = 2;
/** How long the end waits for a reader that takes nothing any more. */
const CLOSE_TIMEOUT_MS = 1_000;

export interface LogSink {
  /** Takes a line with its line break. */
  write(line: string): void;
  /** Resolves when all is written, or when it has become clear that nobody reads. Nothing may be written after it. */
  close(): Promise<void>;
}

/** @param droppedLine makes the line that says how many were dropped */
export function createStderrSink(droppedLine: (count: number) => string): LogSink {
  // Loaded at the first line, which comes when the first worker already starts: so it delays nothing.
  let opening: Promise<Stream> | undefined;
  let stream: Stream | undefined;
  const early: string[] = [];
  const open = async () => {
    stream = await openStream(droppedLine);
    for (const line of early.splice(0)) stream.write(line);
    return stream;
  };
  return {
    write(line) {
      if (stream !== undefined) {
        stream.write(line);
        return;
      }
      early.push(line);
      opening ??= open();
    },
    async close() {
      const opened = await opening;
      if (opened !== undefined) await endOf(opened);
    },
  };
}

type Stream = ReturnType<typeof pino.destination>;

async function openStream(droppedLine: (count: number) => string): Promise<Stream> {
  const { destination } = await import("pino");
  const stream = destination({ dest: STDERR, sync: false, maxLength: MAX_WAITING_BYTES });
  let dropped = 0;
  stream.on("drop", () => dropped++);
  stream.on("drain", () => {
    if (dropped === 0) return;
    const line = droppedLine(dropped);
    dropped = 0;
    stream.write(line);
  });
  return stream;
}

async function endOf(stream: Stream): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
  stream.once("finish", resolve);
  stream.once("error", () => resolve());
  stream.end();
  await promise;
  clearTimeout(timer);
}
