/** Floor: a length-prefixed message over a socket pair to a forked process and its answer. */
import { Socket } from "node:net";
import { Program } from "../asking.ts";
import { payloadBytes } from "../payload.ts";
import { type Floor, medianOf } from "./floor.ts";
import { frame, FrameReader } from "./length-prefix.ts";

/** Standard input, output and error come first, the channel of fork itself last. */
const PIPE = 3;

export function ipcFloor(message = payloadBytes): Floor {
  const program = new Program("ipc-echo", {
    stdio: ["ignore", "ignore", "inherit", "pipe", "ipc"],
  });
  const pipe = program.child.stdio[PIPE];
  if (!(pipe instanceof Socket)) throw new Error("The forked process has no pipe.");
  const reader = new FrameReader();
  let answered: () => void = () => undefined;
  pipe.on("data", (bytes) => {
    if (reader.add(bytes).length > 0) answered();
  });
  return {
    p50Ms: (count) =>
      medianOf(count, async () => {
        const answer = new Promise<void>((resolve) => (answered = resolve));
        pipe.write(frame(message));
        await answer;
      }),
    [Symbol.asyncDispose]: async () => {
      pipe.destroy();
      await program[Symbol.asyncDispose]();
    },
  };
}
