/** The far end of the IPC floor: sends every message of its pipe back. */
import { Socket } from "node:net";
import { frame, FrameReader } from "../floors/length-prefix.ts";

const PIPE = 3;

const pipe = new Socket({ fd: PIPE, readable: true, writable: true });
const reader = new FrameReader();
pipe.on("data", (bytes) => {
  for (const message of reader.add(bytes)) pipe.write(frame(message));
});
pipe.on("close", () => process.exit());
process.on("disconnect", () => process.exit());
