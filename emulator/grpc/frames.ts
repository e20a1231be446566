/** Connections of workers of this machine, which speak frames where others speak gRPC. */
import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import { FRAMES_PREFACE, FrameStream } from "../../runtime/pipe/frame-stream.ts";
import { statusName } from "./status.ts";
import { type CallEnd, isRefusal } from "./wire-session.ts";
import type { Caller } from "./worker-admission.ts";

/** A notice has room for it, whatever its characters. */
const REASON_MAX_LENGTH = 1_000;

interface Takers {
  /** Takes a worker that speaks frames. */
  readonly frames: (call: FrameStream, caller: Caller) => void;
  /** Takes any other connection, as if nothing had been read from it. */
  readonly other: () => void;
}

/** Hands the connection to one of the two, once its first bytes have come. */
export function tellFrames(socket: Socket, { frames, other }: Takers): void {
  let first = Buffer.alloc(0);
  const look = (): void => {
    const data = socket.read() as Buffer | null;
    if (data === null) return;
    first = Buffer.concat([first, data]);
    if (first.byteLength < FRAMES_PREFACE.byteLength) return;
    socket.off("readable", look);
    if (first.indexOf(FRAMES_PREFACE) === 0)
      takeFrames(new FrameStream(socket, first.subarray(FRAMES_PREFACE.byteLength)), frames);
    else {
      socket.unshift(first);
      other();
    }
  };
  socket.on("readable", look);
}

function takeFrames(call: FrameStream, frames: Takers["frames"]): void {
  call.on("error", (end: Error | CallEnd) => {
    if (call.destroyed || end instanceof Error) return;
    const reason = `${statusName(end.code)}: ${end.details}`.slice(0, REASON_MAX_LENGTH);
    call.notify({ refused: isRefusal(end.code), reason });
    call.end();
  });
  call.once("notice", (opener: unknown) => frames(call, callerOf(opener)));
}

function callerOf(opener: unknown): Caller {
  const { token, instance } = Object(opener) as Record<string, unknown>;
  return {
    token: typeof token === "string" ? token : "",
    instance: typeof instance === "string" ? instance : undefined,
    peer: "a process of this machine",
  };
}
