/** Refuses platforms that this project does not run on, with a sentence instead of a stack. */

const NODE_MIN = 24;

/** To be called before anything that an older Node has not. Ends the process with code 1 where its Node is too old, or on Windows. */
export function needPlatform(program: string): void {
  const sentence =
    Number.parseInt(process.versions.node) < NODE_MIN
      ? `${program} needs Node ${NODE_MIN} or newer; this is ${process.version}`
      : windowsProblem(program);
  if (sentence === undefined) return;
  process.stderr.write(`error: ${sentence}\n`);
  process.exit(1);
}

/** @throws Error on Windows: what cannot run there is not begun */
export function refuseWindows(what: string): void {
  const sentence = windowsProblem(what);
  if (sentence !== undefined) throw new Error(sentence);
}

/** Processes are ended by signals and groups, and found by sockets, that Windows has not. */
function windowsProblem(what: string): string | undefined {
  if (process.platform !== "win32") return undefined;
  return `${what} does not run on Windows itself: install WSL 2 (wsl --install), and run it there with a Node of that Linux`;
}
