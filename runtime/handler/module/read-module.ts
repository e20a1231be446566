/** Finds the handler and its options in an imported module. */
import { inspect } from "node:util";
import { closestName } from "../../protocol/did-you-mean.ts";
import type { Concurrency, Handler, SetupContext } from "../contract.ts";
import { InitError } from "../init-error.ts";
import { isStandardSchema, type StandardSchema } from "./standard-schema.ts";

/** A handler with values for all options. */
export interface LoadedHandler {
  readonly run: Handler;
  readonly concurrency: Concurrency;
  readonly aggregate: boolean;
  readonly largeOutput: "fail" | "upload";
  readonly setup: ((context: SetupContext) => unknown) | undefined;
  readonly dispose: ((state: unknown) => unknown) | undefined;
  readonly input: StandardSchema | undefined;
  readonly output: StandardSchema | undefined;
  /** Sentences about unknown options, for the log. */
  readonly hints: readonly string[];
}

/** Options of a definition besides `run`. */
const OPTIONS = ["input", "output", "concurrency", "aggregate", "largeOutput", "setup", "dispose"];

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the default export: a function, or the result of `defineHandler`. The default export of a CommonJS module is its
 * `module.exports`, or `module.exports.default` if it was compiled from ESM.
 *
 * @param name the module's name in messages
 * @throws InitError if there is no handler, or an option is invalid
 */
export function readModule(namespace: Fields, name: string): LoadedHandler {
  const exported = namespace["default"];
  const isCompiled = isFields(exported) && "default" in exported && exported["run"] === undefined;
  const handler = isCompiled ? exported["default"] : exported;
  const named =
    isCompiled || typeof exported === "function" ? { ...namespace, ...own(exported) } : namespace;
  if (handler === undefined) {
    throw new InitError(
      `${name} has no default export: add \`export default async function (job, context) { … }\`.`,
    );
  }
  if (isHandler(handler)) return withOptions(handler, named, name);
  if (isFields(handler) && isHandler(handler["run"])) {
    // Called as a method of its object, which it may use as `this`.
    const { run } = handler;
    const bound: Handler = (job, context) => run.call(handler, job, context);
    const hints = Object.keys(handler).flatMap((option) => hintAbout(option, name));
    return { ...withOptions(bound, { ...named, ...handler }, name), hints };
  }
  throw new InitError(
    `The default export of ${name} is ${describe(handler)}: it must be a function, or an object from defineHandler ` +
      "with a function `run`.",
  );
}

function withOptions(run: Handler, options: Fields, name: string): LoadedHandler {
  const { concurrency = 1, aggregate = false, largeOutput = "fail" } = options;
  if (!isConcurrencyFunction(concurrency) && !isConcurrency(concurrency)) {
    throw new InitError(
      `\`concurrency\` of ${name} must be a whole number of at least 1, or a function that gives one, ` +
        `not ${describe(concurrency)}.`,
    );
  }
  if (typeof aggregate !== "boolean") {
    throw new InitError(
      `\`aggregate\` of ${name} must be true or false, not ${describe(aggregate)}.`,
    );
  }
  if (largeOutput !== "fail" && largeOutput !== "upload") {
    throw new InitError(
      `\`largeOutput\` of ${name} must be "fail" or "upload", not ${describe(largeOutput)}.`,
    );
  }
  return {
    run,
    concurrency,
    aggregate,
    largeOutput,
    setup: functionOf(options, "setup", name),
    dispose: functionOf(options, "dispose", name),
    input: schemaOf(options, "input", name),
    output: schemaOf(options, "output", name),
    hints: [],
  };
}

/** A hint instead of an error, because a definition may have additional members. */
function hintAbout(option: string, name: string): readonly string[] {
  if (option === "run" || OPTIONS.includes(option)) return [];
  const near = closestName(option, OPTIONS);
  const known = `there are ${OPTIONS.slice(0, -1).join(", ")} and ${OPTIONS.at(-1)}.`;
  const hint = near === undefined ? known : `did you mean \`${near}\`?`;
  return [`${name} has the unknown option \`${option}\`; ${hint}`];
}

/** True for a valid result of the option `concurrency`, or of its function. */
export function isConcurrency(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1;
}

function functionOf(
  options: Fields,
  option: string,
  name: string,
): ((given: unknown) => unknown) | undefined {
  const value = options[option];
  if (value === undefined || isOneArgument(value)) return value;
  throw new InitError(`\`${option}\` of ${name} must be a function, not ${describe(value)}.`);
}

function schemaOf(options: Fields, option: string, name: string): StandardSchema | undefined {
  const value = options[option];
  if (value === undefined || isStandardSchema(value)) return value;
  throw new InitError(
    `\`${option}\` of ${name} must be a Standard Schema, for example one made with zod, not ${describe(value)}.`,
  );
}

function isHandler(value: unknown): value is Handler {
  return typeof value === "function";
}

function isConcurrencyFunction(value: unknown): value is Exclude<Concurrency, number> {
  return typeof value === "function";
}

function isOneArgument(value: unknown): value is (given: unknown) => unknown {
  return typeof value === "function";
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

/** Properties that a CommonJS module set on its function: an import may not show them. */
function own(value: unknown): Fields {
  return typeof value === "function" || isFields(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "object") return Array.isArray(value) ? "an array" : "an object";
  return typeof value === "function" ? "a function" : `${typeof value} ${inspect(value)}`;
}
