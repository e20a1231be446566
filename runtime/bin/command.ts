/** The command line of `sv-worker`, and its parser. */
import { parseArgs, type ParseArgsConfig } from "node:util";
import { defined } from "../protocol/without-undefined.ts";
import { inspectAddress } from "./settings.ts";
import { insteadOf } from "./unknown-option.ts";
import { UsageError } from "./usage.ts";

/** The parsed command line. Absent values come from the environment, or have a default. */
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

const INSPECT_DEFAULT = "127.0.0.1:9229";
const RUN_OPTIONS = ["inspect", "input", "input-file", "timeout-ms", "objects"];

/**
 * Reads the arguments after the program's name.
 *
 * @throws UsageError for invalid arguments
 */
export function readCommand(args: readonly string[]): Command {
  const [word, ...rest] = args;
  if (word === "server") return read(rest, [], (given) => ({ kind: "server", ...given }));
  if (word !== "run") return read(args, ["inspect"], (given) => ({ kind: "serve", ...given }));
  return read(rest, RUN_OPTIONS, (given, text) => {
    const [input, inputFile] = [text("input"), text("input-file")];
    if (input !== undefined && inputFile !== undefined) {
      throw new UsageError("--input and --input-file cannot be given together.");
    }
    const [timeoutMs, objects] = [text("timeout-ms"), text("objects")];
    return { kind: "run", ...given, ...defined({ input, inputFile, timeoutMs, objects }) };
  });
}

/** @param names of the options that have a value */
function read(
  args: readonly string[],
  names: readonly string[],
  commandOf: (given: Common, text: (name: string) => string | undefined) => Command,
): Command {
  const texts = Object.fromEntries(names.map((name) => [name, { type: "string" } as const]));
  const { values, positionals } = parsed(withInspectAddress(args), { ...texts, ...answers });
  const text = (name: string): string | undefined => {
    const value = values[name];
    return typeof value === "string" ? value : undefined;
  };
  const [handler, ...surplus] = positionals;
  if (surplus.length > 0) {
    const given = positionals.map((each) => JSON.stringify(each)).join(" and ");
    throw new UsageError(
      `A worker has one handler, and ${positionals.length} words were given: ${given}. The commands are run and server, as the first word.`,
    );
  }
  if (values["help"] === true) return { kind: "help" };
  if (values["version"] === true) return { kind: "version" };
  const address = text("inspect");
  const inspect = address === undefined ? undefined : inspectAddress(address, "--inspect");
  return commandOf(defined({ handler, inspect }), text);
}

/** Like Node's own flag, it may have no value, and takes none from the next argument. */
function withInspectAddress(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  return args.map((arg, at) =>
    arg === "--inspect" && (end === -1 || at < end) ? `--inspect=${INSPECT_DEFAULT}` : arg,
  );
}

function parsed(args: string[], options: NonNullable<ParseArgsConfig["options"]>) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // Node's sentence continues with other meanings of the argument.
    const problem = error.message.replace(/\. To specify .*$/su, ".");
    const [, unknown] = /^Unknown option '--?([^']+)'/u.exec(problem) ?? [];
    const advice = unknown === undefined ? [] : [insteadOf(unknown, Object.keys(options))];
    throw new UsageError([problem, ...advice].join(" "), { cause: error });
  }
}
