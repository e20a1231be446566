/** Finds the words that can follow on a command line of `sv-emulate`, from its tree of commands. */
import type { Argument, Command, Option } from "commander";
import { FILES } from "./shell-script.ts";

export interface Candidate {
  readonly value: string;
  readonly description: string;
}

export interface Candidates {
  readonly values: readonly Candidate[];
  /** Whether file names are candidates too. */
  readonly files: boolean;
}

/** Looks up ids of endpoints. Never rejects. */
export type EndpointIds = (words: readonly string[]) => Promise<readonly string[]>;

const NONE: Candidates = { values: [], files: false };

/** @param words the words behind the program's name; the last one is being typed and may be empty */
export async function candidates(
  program: Command,
  words: readonly string[],
  endpointIds: EndpointIds,
): Promise<Candidates> {
  // bash splits `--flag=value` into three words.
  const plain = words.filter((word, at) => word !== "=" || at === words.length - 1);
  const current = plain.at(-1) === "=" ? "" : (plain.at(-1) ?? "");
  const { command, before, awaited } = walk(program, plain.slice(0, -1));
  if (awaited !== undefined) return startingWith(current, valuesOf(awaited));
  const [, name = "", part] = /^(--[^=]+)=(.*)$/u.exec(current) ?? [];
  if (part !== undefined) {
    const option = command.options.find(({ long }) => long === name);
    const found = option === undefined ? NONE : startingWith(part, valuesOf(option));
    return {
      ...found,
      values: found.values.map((each) => ({ ...each, value: `${name}=${each.value}` })),
    };
  }
  if (current.startsWith("-"))
    return startingWith(current, { values: flagsOf(command), files: false });
  const argument = command.registeredArguments[before] ?? lastIfVariadic(command);
  const commands = before === 0 ? commandsOf(command) : [];
  const fitting = await argumentValues(argument, async () => endpointIds(plain));
  return startingWith(current, { ...fitting, values: [...commands, ...fitting.values] });
}

interface Place {
  readonly command: Command;
  /** Number of complete arguments of the command. */
  readonly before: number;
  /** The option that takes the next word as its value. */
  readonly awaited: Option | undefined;
}

function walk(program: Command, words: readonly string[]): Place {
  let command = program;
  let before = 0;
  let awaited: Option | undefined;
  for (const word of words) {
    if (awaited !== undefined) awaited = undefined;
    else if (word.startsWith("-")) {
      const option = command.options.find(({ long, short }) => word === long || word === short);
      awaited = option?.required === true ? option : undefined;
    } else {
      const sub: Command | undefined =
        before === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (sub === undefined) before += 1;
      else command = sub;
    }
  }
  return { command, before, awaited };
}

/** An option for a file or a directory has file names as candidates. */
function valuesOf({ argChoices, flags }: Option): Candidates {
  if (argChoices)
    return { values: argChoices.map((value) => ({ value, description: "" })), files: false };
  return { values: [], files: /<(?:directory|file)>/u.test(flags) };
}

async function argumentValues(
  argument: Argument | undefined,
  endpointIds: () => Promise<readonly string[]>,
): Promise<Candidates> {
  if (argument === undefined) return NONE;
  const { argChoices } = argument;
  if (argChoices)
    return { values: argChoices.map((value) => ({ value, description: "" })), files: false };
  if (["id", "delivery", "duration", "name", "key"].includes(argument.name())) return NONE;
  if (argument.name() !== "endpoint") return { values: [], files: true };
  const ids = await endpointIds();
  return { values: ids.map((value) => ({ value, description: "endpoint" })), files: false };
}

function lastIfVariadic({ registeredArguments }: Command): Argument | undefined {
  const last = registeredArguments.at(-1);
  return last?.variadic === true ? last : undefined;
}

function flagsOf(command: Command): Candidate[] {
  const visible = command.createHelp().visibleOptions(command);
  return visible.flatMap(({ long, description }) =>
    long === undefined || long === null ? [] : [{ value: long, description }],
  );
}

function commandsOf(command: Command): Candidate[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.map((each) => ({ value: each.name(), description: each.summary() }));
}

function startingWith(current: string, { values, files }: Candidates): Candidates {
  return { values: values.filter(({ value }) => value.startsWith(current)), files };
}

/** A line for each candidate, in the format of the scripts. */
export function candidateLines({ values, files }: Candidates): string {
  const lines = values.map(({ value, description }) => `${value}\t${description}\n`);
  return lines.join("") + (files ? `${FILES}\n` : "");
}
