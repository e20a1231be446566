/** Runs `sv-emulate init`: settles the choices, writes the project, and prints the next steps. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { isBuiltin } from "node:module";
import { basename, isAbsolute, resolve } from "node:path";
import { closestName } from "../../../runtime/protocol/did-you-mean.ts";
import { shellWord } from "../../image/shell-word.ts";
import { readOwnPackage, versionsFor } from "../../starter/own-package.ts";
import { packagesOf, projectFiles } from "../../starter/project-files.ts";
import { endpointIdOf, fittingName, nameProblem } from "../../starter/project-name.ts";
import { readStarters, STARTER_NAMES, type StarterName } from "../../starter/starters.ts";
import { writeProject } from "../../starter/write-project.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { InitFlags } from "./init-flags.ts";
import type { ProblemOf, Settled, Choices } from "./init-questions.ts";
import { shownPath } from "../given-path.ts";
import type { StopSignals } from "../signals.ts";
import { UsageError } from "../usage-error.ts";

export interface InitInvocation {
  readonly name: string | undefined;
  readonly flags: InitFlags;
}

export interface InitTerminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Whether a person can be asked. */
  readonly isInteractive: boolean;
}

/** Choices without a flag or an answer. */
const DEFAULTS = { starter: "hello", git: false, install: false } as const;

export async function runInitCommand(
  { name, flags }: InitInvocation,
  cwd: string,
  signals: StopSignals,
  terminal: InitTerminal,
): Promise<ExitCode> {
  const stopped = new AbortController();
  void signals.nth(1).then(() => stopped.abort());
  const own = await readOwnPackage();
  const starters = await readStarters(own.root);
  const packages = new Set([...starters.values()].flatMap(packagesOf));
  const problemOf: ProblemOf = (written) =>
    nameProblem(written, (other) => isBuiltin(other) || packages.has(other));
  const choices = choicesOf(name, flags, cwd, problemOf);
  const mayAsk = terminal.isInteractive && flags.yes !== true;
  const settled = mayAsk ? await askAll(choices, problemOf, stopped.signal) : byDefault(choices);
  if (settled === undefined) return EXIT.stoppedAtOnce;
  const directory = resolve(cwd, flags.dir ?? endpointIdOf(settled.name));
  const shown = shownPath(directory, cwd);
  const terms = { name: settled.name, versions: versionsFor(own, directory) };
  const texts = starters.get(settled.starter) ?? new Map<string, string>();
  await writeProject(directory, projectFiles(texts, terms), shown);
  const isComplete = await finish(settled, directory, stopped.signal, terminal);
  if (stopped.signal.aborted) return EXIT.stoppedAtOnce;
  terminal.out(nextSteps(settled, shown, settled.install && isComplete));
  return isComplete ? EXIT.stopped : EXIT.unexpected;
}

/** @throws UsageError for an unknown starter, or an invalid name */
function choicesOf(
  written: string | undefined,
  { template, dir, git, install }: InitFlags,
  cwd: string,
  problemOf: ProblemOf,
): Choices {
  const starter = template === undefined ? undefined : starterNamed(template);
  if (written !== undefined && (written.startsWith(".") || isAbsolute(written))) {
    throw new UsageError(
      `${JSON.stringify(written)} is a directory and no name; to make the project there: sv-emulate init --dir ${shellWord(written)}`,
    );
  }
  const name =
    written ?? (dir === undefined ? undefined : fittingName(basename(resolve(cwd, dir))));
  const problem = name === undefined ? undefined : problemOf(name);
  if (problem !== undefined) throw new UsageError(problem);
  return { name, starter, git, install };
}

function starterNamed(template: string): StarterName {
  const starter = STARTER_NAMES.find((known) => known === template);
  if (starter !== undefined) return starter;
  const near = closestName(template, STARTER_NAMES);
  const hint = near === undefined ? "" : `did you mean ${near}? `;
  throw new UsageError(
    `there is no starter ${JSON.stringify(template)}; ${hint}there are ${STARTER_NAMES.join(", ")}`,
  );
}

/** Undefined if the person gives up. */
async function askAll(
  choices: Choices,
  problemOf: ProblemOf,
  signal: AbortSignal,
): Promise<Settled | undefined> {
  const { ask, GivenUpError } = await import("./init-questions.ts");
  return ask(choices, problemOf, { signal }).catch((error: unknown) => {
    if (error instanceof GivenUpError) return undefined;
    throw error;
  });
}

/** @throws UsageError without a name */
function byDefault({ name, starter, git, install }: Choices): Settled {
  if (name === undefined) {
    throw new UsageError(
      "the project needs a name: sv-emulate init my-endpoint, or a directory to be named after: --dir my-endpoint",
    );
  }
  return {
    name,
    starter: starter ?? DEFAULTS.starter,
    git: git ?? DEFAULTS.git,
    install: install ?? DEFAULTS.install,
  };
}

/** False if Git or npm failed. The files are written all the same. */
async function finish(
  { git, install }: Settled,
  cwd: string,
  signal: AbortSignal,
  { err }: InitTerminal,
): Promise<boolean> {
  let isComplete = true;
  const run = async (program: string, ...args: readonly string[]): Promise<void> => {
    if (signal.aborted) return;
    const problem = await runProgram(program, args, { cwd, signal });
    if (problem === undefined || signal.aborted) return;
    isComplete = false;
    err(`${[program, ...args].join(" ")}: ${problem}\n`);
  };
  if (git && !(await isInRepository(cwd))) await run("git", "init", "--quiet");
  if (install) await run("npm", "install", "--no-fund", "--no-audit");
  return isComplete;
}

async function isInRepository(cwd: string): Promise<boolean> {
  const question = ["rev-parse", "--is-inside-work-tree"];
  return (await runProgram("git", question, { cwd, isQuiet: true })) === undefined;
}

interface ProgramOptions {
  readonly cwd: string;
  /** Ends the program when it aborts. */
  readonly signal?: AbortSignal;
  /** Hides its output, which otherwise goes to stderr. */
  readonly isQuiet?: boolean;
}

/** Resolves with the problem in words; undefined if there is none. */
async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, signal, isQuiet = false }: ProgramOptions,
): Promise<string | undefined> {
  const shown = isQuiet ? "ignore" : 2;
  const child = spawn(program, args, {
    cwd,
    stdio: ["ignore", shown, shown],
    ...(signal !== undefined && { signal }),
  });
  try {
    const [code, killedBy] = (await once(child, "close")) as [number | null, string | null];
    return code === 0 ? undefined : `it ended with ${killedBy ?? `code ${code}`}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function nextSteps({ name, starter }: Settled, shown: string, isInstalled: boolean): string {
  const steps = [
    ...(shown === "." ? [] : [`cd ${shellWord(shown)}`]),
    ...(isInstalled ? [] : ["npm install"]),
    "npm test",
    "SV_API_KEY=local-key npm start",
  ];
  return [
    `Created ${name}${shown === name ? "" : ` in ${shown}`} (starter: ${starter}). Next:`,
    "",
    ...steps.map((step) => `  ${step}`),
    "",
    "Its README.md says how to call it and how to build its image.",
    "",
  ].join("\n");
}
