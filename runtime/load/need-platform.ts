/** Refuses platforms that this project does not run on, with a sentence instead of a stack. */

const NODE_MIN = 24;

/** Ends the process with code 1 on Windows, or if its Node is too old. Call it before anything that an older Node lacks. */
export function needPlatform(program: string): void {
  const sentence =
    Number.parseInt(process.versions.node) < NODE_MIN
      ? `${program} needs Node ${NODE_MIN} or newer; this is ${process.version}`
      : windowsProblem(program);
  if (sentence === undefined) return;
  process.stderr.write(`error: ${sentence}\n`);
  process.exit(1);
}

/** @throws Error on Windows, before anything is begun that cannot run there */
export function refuseWindows(what: string): void {
  const sentence = windowsProblem(what);
  if (sentence !== undefined) throw new Error(sentence);
}

/** Windows lacks the signals and process groups by which processes are ended, and the sockets by which they are found. */
function windowsProblem(what: string): string | undefined {
  if (process.platform !== "win32") return undefined;
  return `${what} does not run on Windows itself: install WSL 2 (wsl --install), and run it there with a Node of that Linux`;
}
