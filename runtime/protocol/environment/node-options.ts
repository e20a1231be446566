/** `NODE_OPTIONS` of the first process: which of its options further processes can share. */

/** The variable. */
export const NODE_OPTIONS = "NODE_OPTIONS";

/** Environment variable of a supervisor: the `NODE_OPTIONS` of its handler processes. */
export const HANDLER_NODE_OPTIONS = "SV_HANDLER_NODE_OPTIONS";

/** A word as Node splits them, with its quotes. */
const WORD = /(?:[^ "]|"(?:\\.|[^"\\])*")+/gu;

/** Options that load code before the program. */
const PRELOAD = /^"?(?:-r|--require|--import|--loader|--experimental-loader)(?=[= "]|$)/u;

/** Options that open the port of a debugger. The first process has the port, and `-brk` and `-wait` would stop the others. */
const DEBUGGER = /^"?--(?:inspect|debug)(?:-brk|-wait|-port)?(?=[= "]|$)/u;

/** Options without those of a debugger: for processes with code of the user. */
export function withoutDebugger(options: string): string {
  return optionsIn(options)
    .filter((option) => !DEBUGGER.test(option))
    .join(" ");
}

/** Options that neither load code nor open a port: for processes with our own code only. */
export function forOwnPrograms(options: string): string {
  return optionsIn(withoutDebugger(options))
    .filter((option) => !PRELOAD.test(option))
    .join(" ");
}

/**
 * The end of a sentence about a failure that options which load code may explain. Empty without such options.
 */
export function preloadHint(options: string): string {
  const preloads = optionsIn(options).filter((option) => PRELOAD.test(option));
  return preloads.length === 0 ? "" : ` NODE_OPTIONS (${preloads.join(" ")}) is loaded in it, too.`;
}

/**
 * A sentence about code of `NODE_OPTIONS` that could not listen because the same code of another process does. Undefined for any
 * other error.
 */
export function sharedPort(thrown: unknown, options: string): string | undefined {
  const hint = preloadHint(options);
  const isTaken = thrown instanceof Error && "code" in thrown && thrown.code === "EADDRINUSE";
  if (hint === "" || !isTaken) return undefined;
  return `${thrown.message}: this process goes on without it.${hint}`;
}

/** Each option with its value, as written. */
function optionsIn(text: string): readonly string[] {
  const options: string[] = [];
  for (const [word] of text.matchAll(WORD)) {
    if (/^"?-/u.test(word) || options.length === 0) options.push(word);
    else options.push(`${options.pop()} ${word}`);
  }
  return options;
}
