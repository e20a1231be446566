/** Ends a program on a Node that is too old for it, with a sentence instead of a stack. */

const NODE_MIN = 24;

/** To be called before anything that an older Node has not. Ends the process with code 1 where its Node is too old. */
export function needNode(program: string): void {
  if (Number.parseInt(process.versions.node) >= NODE_MIN) return;
  const sentence = `${program} needs Node ${NODE_MIN} or newer; this is ${process.version}`;
  process.stderr.write(`error: ${sentence}\n`);
  process.exit(1);
}
