/** The command line of `sv-worker`: how its arguments are read. */
import { parseArgs } from "node:util";
import { UsageError } from "./usage.ts";

/** What was asked for; a value that was not given is absent and left to the environment or a default. */
export type Command =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "serve"; readonly handler?: string }
  | ({ readonly kind: "run"; readonly handler?: string } & RunFlags);

export interface RunFlags {
  readonly input?: string;
  readonly inputFile?: string;
  readonly timeoutMs?: string;
}

const answers = {
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" },
} as const;

const runOptions = {
  input: { type: "string" },
  "input-file": { type: "string" },
  "timeout-ms": { type: "string" },
} as const;

/**
 * Reads the arguments after the program's name.
 *
 * @throws UsageError when they cannot be understood
 */
export function readCommand(args: readonly string[]): Command {
  return args[0] === "run" ? readRun(args.slice(1)) : readServe(args);
}

function readServe(args: readonly string[]): Command {
  const { values, positionals } = understood(() =>
    parseArgs({ args: [...args], options: answers, allowPositionals: true }),
  );
  const handler = onlyOne(positionals);
  return answer(values) ?? { kind: "serve", ...handler };
}

function readRun(args: readonly string[]): Command {
  const { values, positionals } = understood(() =>
    parseArgs({ args: [...args], options: { ...answers, ...runOptions }, allowPositionals: true }),
  );
  const handler = onlyOne(positionals);
  const { input, "input-file": inputFile, "timeout-ms": timeoutMs } = values;
  if (input !== undefined && inputFile !== undefined) {
    throw new UsageError("--input and --input-file cannot be given together.");
  }
  const flags = {
    ...(input === undefined ? {} : { input }),
    ...(inputFile === undefined ? {} : { inputFile }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  return answer(values) ?? { kind: "run", ...handler, ...flags };
}

function answer(values: { help?: boolean; version?: boolean }): Command | undefined {
  if (values.help === true) return { kind: "help" };
  return values.version === true ? { kind: "version" } : undefined;
}

function onlyOne(positionals: readonly string[]): { readonly handler?: string } {
  const [handler, surplus] = positionals;
  if (surplus !== undefined) {
    throw new UsageError(`A worker has one handler, and ${positionals.length} were given.`);
  }
  return handler === undefined ? {} : { handler };
}

function understood<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // Node's sentence goes on about what else the argument could have been meant as.
    throw new UsageError(error.message.replace(/\. To specify .*$/su, "."), { cause: error });
  }
}
