/** Notices when a debugger stops this process, at a breakpoint or by its pause button, and when it goes on. */
import { Session } from "node:inspector";

/**
 * Calls `changed` on this thread, the last thing before it stands still and the first when it goes on.
 *
 * That takes a session of this very thread: it is told before the others wait for a debugger's next word, and it does
 * not count as a debugger itself. A session of another thread, or over the inspector's port, does: with it, a
 * `debugger` statement would stop the process although nobody is there to let it go on.
 */
export function watchPauses(changed: (isPaused: boolean) => void): void {
  const session = new Session();
  session.connect();
  session.on("Debugger.paused", () => changed(true));
  session.on("Debugger.resumed", () => changed(false));
  session.post("Debugger.enable");
}
