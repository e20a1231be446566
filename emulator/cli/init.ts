/** Runs `sv-emulate init`: settles what the project is to be, writes it, and says what comes next. */
import { readFile } from "node:fs/promises";
import { findPackageJSON, isBuiltin } from "node:module";
import { basename, dirname, relative, resolve, sep } from "node:path";
import { nearMiss } from "../core/near-miss.ts";
import { packagesOf, projectFiles } from "../starter/project-files.ts";
import { endpointIdOf, fittingName, nameProblem } from "../starter/project-name.ts";
import { readStarter, STARTER_NAMES, type StarterName } from "../starter/starters.ts";
import { writeProject } from "../starter/write-project.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import type { InitFlags } from "./init-flags.ts";
import type { Settled, Wishes } from "./init-questions.ts";
import { shownPath } from "./place.ts";
import { runProgram } from "./run-program.ts";
import type { StopSignals } from "./signals.ts";
import { UsageError } from "./usage-error.ts";

export interface InitInvocation {
  readonly name: string | undefined;
  readonly flags: InitFlags;
}

export interface InitTerminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Whether a person sits there who can be asked. */
  readonly isInteractive: boolean;
}

export async function runInitCommand(
  { name, flags }: InitInvocation,
  cwd: string,
  signals: StopSignals,
  terminal: InitTerminal,
): Promise<ExitCode> {
  const stopped = new AbortController();
  void signals.nth(1).then(() => stopped.abort());
  const own = await ownPackage();
  const starters = new Map(
    await Promise.all(
      STARTER_NAMES.map(async (starter) => [starter, await readStarter(own.root, starter)] as const),
    ),
  );
  const textsOf = (starter: StarterName) => starters.get(starter) ?? new Map<string, string>();
  const problemOf = (written: string, starter: StarterName) => {
    const packages = packagesOf(textsOf(starter));
    return nameProblem(written, (other) => isBuiltin(other) || packages.includes(other));
  };
  const wishes = wishesOf(name, flags, cwd);
  check(wishes, problemOf);
  const asks = terminal.isInteractive && flags.yes !== true;
  const settled = asks ? await askAll(wishes, problemOf, stopped.signal) : byDefault(wishes);
  if (settled === undefined) return EXIT.stoppedAtOnce;

  const directory = resolve(cwd, flags.dir ?? endpointIdOf(settled.name));
  const versions = new Map(own.versions).set(own.name, ownVersion(own, directory));
  const files = projectFiles(textsOf(settled.starter), { name: settled.name, versions });
  await writeProject(directory, files, shownPath(directory, cwd));
  const isComplete = await finish(settled, directory, stopped.signal, terminal);
  if (stopped.signal.aborted) return EXIT.stoppedAtOnce;
  terminal.out(nextSteps(settled, shownPath(directory, cwd), isComplete));
  return isComplete ? EXIT.stopped : EXIT.unexpected;
}

/** @throws UsageError when there is no such starter */
function wishesOf(name: string | undefined, flags: InitFlags, cwd: string): Wishes {
  const { template, dir, git, install } = flags;
  const starter = STARTER_NAMES.find((known) => known === template);
  if (template !== undefined && starter === undefined) {
    const near = nearMiss(template, STARTER_NAMES);
    const hint = near === undefined ? "" : `did you mean ${near}? `;
    throw new UsageError(
      `there is no starter ${JSON.stringify(template)}; ${hint}there are ${STARTER_NAMES.join(", ")}`,
    );
  }
  const byDirectory = dir === undefined ? undefined : fittingName(basename(resolve(cwd, dir)));
  return { name: name ?? byDirectory, starter, git, install };
}

function check(
  { name, starter }: Wishes,
  problemOf: (name: string, starter: StarterName) => string | undefined,
): void {
  if (name === undefined) return;
  if (name === "." || name.startsWith("./") || name.startsWith("/")) {
    throw new UsageError(
      `${JSON.stringify(name)} is a directory and no name; sv-emulate init --dir ${name} makes the project there`,
    );
  }
  const problem = problemOf(name, starter ?? "hello");
  if (problem !== undefined) throw new UsageError(problem);
}

async function askAll(
  wishes: Wishes,
  problemOf: (name: string, starter: StarterName) => string | undefined,
  signal: AbortSignal,
): Promise<Settled | undefined> {
  const { ask, GivenUpError } = await import("./init-questions.ts");
  return ask(wishes, problemOf, signal).catch((error: unknown) => {
    if (error instanceof GivenUpError) return undefined;
    throw error;
  });
}

/** @throws UsageError when there is no name */
function byDefault({ name, starter = "hello", git = false, install = false }: Wishes): Settled {
  if (name !== undefined) return { name, starter, git, install };
  throw new UsageError(
    "the project needs a name: sv-emulate init my-endpoint, or a directory to be named after: --dir my-endpoint",
  );
}

/** False when something that was asked for could not be done; the files are there all the same. */
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
  const isInside = async () =>
    (await runProgram("git", ["rev-parse", "--is-inside-work-tree"], { cwd, isQuiet: true })) ===
    undefined;
  if (git && !(await isInside())) await run("git", "init", "--quiet");
  if (install) await run("npm", "install", "--no-fund", "--no-audit");
  return isComplete;
}

function nextSteps({ name, starter, install }: Settled, shown: string, isComplete: boolean): string {
  const steps = [
    ...(shown === "." ? [] : [`cd ${shown}`]),
    ...(install && isComplete ? [] : ["npm install"]),
    "npm test",
    "SV_API_KEY=local-key npm start",
  ];
  const lines = steps.map((step) => `  ${step}`);
  return `${name}, from the starter ${starter}, is in ${shown}. Next:\n\n${lines.join("\n")}\n\nIts README.md says how to call it and how to build its image.\n`;
}

interface OwnPackage {
  readonly root: string;
  readonly name: string;
  readonly version: string;
  /** Of what it depends on itself, for development too: those it was tested with. */
  readonly versions: ReadonlyMap<string, string>;
}

async function ownPackage(): Promise<OwnPackage> {
  const file = findPackageJSON(import.meta.url);
  if (file === undefined) throw new Error("this installation of sv-runtime lacks package.json");
  // Our own.
  const manifest = JSON.parse(await readFile(file, "utf8")) as {
    readonly name: string;
    readonly version: string;
    readonly dependencies: Readonly<Record<string, string>>;
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const { name, version, dependencies, devDependencies } = manifest;
  const versions = new Map(Object.entries({ ...devDependencies, ...dependencies }));
  return { root: dirname(file), name, version, versions };
}

/** A clone that is not installed anywhere stands for itself: no registry has what it is. */
function ownVersion({ root, version }: OwnPackage, directory: string): string {
  if (root.split(sep).includes("node_modules")) return version;
  return `file:${relative(directory, root).replaceAll(sep, "/")}`;
}
