/** A thread of the handler process that ends it when its supervisor is gone, even while the handler blocks its loop. */
import { Socket } from "node:net";
import { LIFE_LINE_FD } from "../pipe/frame-kinds.ts";

// The supervisor holds the other end open as long as it lives, and never writes to it.
const lifeLine = new Socket({ fd: LIFE_LINE_FD, readable: true, writable: false });
lifeLine.on("close", endProcessGroup);
lifeLine.on("error", endProcessGroup);
lifeLine.resume();

/** The handler process leads its group, so whatever the handler started goes with it. */
function endProcessGroup(): void {
  try {
    process.kill(-process.pid, "SIGKILL");
  } finally {
    process.kill(process.pid, "SIGKILL");
  }
}
