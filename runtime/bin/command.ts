/** The command line of `sv-worker`: how its arguments are read. */
import { parseArgs } from "node:util";
import { inspectAddress } from "./settings.ts";
import { UsageError } from "./usage.ts";

/** What was asked for; a value that was not given is absent and left to the environment or a default. */
export type Command =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | ({ readonly kind: "serve" } & Common)
  | { readonly kind: "server"; readonly handler?: string }
  | ({ readonly kind: "run" } & Common & RunFlags);

interface Common {
  readonly handler?: string;
  /** `host:port` */
  readonly inspect?: string;
}

export interface RunFlags {
  readonly input?: string;
  readonly inputFile?: string;
  readonly timeoutMs?: string;
  readonly objects?: string;
}

const answers = {
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" },
} as const;

const inspectOption = { inspect: { type: "string" } } as const;
const INSPECT_DEFAULT = "127.0.0.1:9229";

const runOptions = {
  input: { type: "string" },
  "input-file": { type: "string" },
  "timeout-ms": { type: "string" },
  objects: { type: "string" },
} as const;

/**
 * Reads the arguments after the program's name.
 *
 * @throws UsageError when they cannot be understood
 */
export function readCommand(args: readonly string[]): Command {
  const [word, ...rest] = args;
  if (word === "run") return readRun(rest);
  return word === "server" ? readServer(rest) : readServe(args);
}

function readServer(args: readonly string[]): Command {
  const { values, positionals } = understood(() =>
    parseArgs({ args: [...args], options: answers, allowPositionals: true }),
  );
  return answer(values) ?? { kind: "server", ...onlyOne(positionals) };
}

function readServe(args: readonly string[]): Command {
  const { values, positionals } = understood(() =>
    parseArgs({
      args: withInspectAddress(args),
      options: { ...answers, ...inspectOption },
      allowPositionals: true,
    }),
  );
  const handler = onlyOne(positionals);
  return answer(values) ?? { kind: "serve", ...handler, ...inspect(values) };
}

function readRun(args: readonly string[]): Command {
  const { values, positionals } = understood(() =>
    parseArgs({
      args: withInspectAddress(args),
      options: { ...answers, ...inspectOption, ...runOptions },
      allowPositionals: true,
    }),
  );
  const handler = onlyOne(positionals);
  const { input, "input-file": inputFile, "timeout-ms": timeoutMs, objects } = values;
  if (input !== undefined && inputFile !== undefined) {
    throw new UsageError("--input and --input-file cannot be given together.");
  }
  const flags = {
    ...(input === undefined ? {} : { input }),
    ...(inputFile === undefined ? {} : { inputFile }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(objects === undefined ? {} : { objects }),
  };
  return answer(values) ?? { kind: "run", ...handler, ...inspect(values), ...flags };
}

/** Like Node's own flag, it may stand without a value, and takes none from the next argument. */
function withInspectAddress(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  return args.map((arg, at) =>
    arg === "--inspect" && (end === -1 || at < end) ? `--inspect=${INSPECT_DEFAULT}` : arg,
  );
}

function inspect(values: { inspect?: string }): { readonly inspect?: string } {
  return values.inspect === undefined
    ? {}
    : { inspect: inspectAddress(values.inspect, "--inspect") };
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
