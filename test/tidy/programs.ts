/** Programs that tests start and documents name must be on every Debian, or be installed by the set-up of the tests. */
import path from "node:path";
import { type CallExpression, Visitor } from "oxc-parser";
import { PROGRAMS } from "../setup/programs.ts";
import { type Document, fencesIn, root, shellBelow } from "../unit/docs/documents.ts";
import { importsOf, targetOf } from "./imports.ts";
import type { Source } from "./source.ts";
import { startedPrograms } from "./started-programs.ts";
import { typedPrograms } from "./typed-programs.ts";

/** Programs by their package; a root that debootstrap makes with `--variant=minbase` has these. */
const ON_EVERY_DEBIAN: Readonly<Record<string, readonly string[]>> = {
  apt: ["apt-get"],
  bash: ["bash"],
  bsdutils: ["script"],
  coreutils: ["base64", "cat", "cp", "mkfifo", "nice", "sleep", "tail", "tr"],
  dash: ["sh"],
  grep: ["grep"],
  "libc-bin": ["ldd"],
  mount: ["losetup", "mount", "umount"],
  sed: ["sed"],
  tar: ["tar"],
  "util-linux": ["flock", "nsenter", "setpriv", "unshare"],
};

/** Programs of Node, and this project's own. */
const OWN = ["node", "npm", "npx", "sv-emulate", "sv-worker"];

/** Programs that `prepareClients` of the set-up fetches. */
const FETCHED = ["helm", "kubectl"];

const present = new Set([...Object.values(ON_EVERY_DEBIAN).flat(), ...OWN, ...FETCHED]);
const installable = new Set(Object.keys(PROGRAMS));
const SHELL = /^(?:sh|bash|shell|console)$/;

/** Functions that read commands from documents, so that tests can run them. */
const TYPES_COMMANDS = "test/e2e/readme/pasted.ts";

/** Names of programs, by the file that calls them. */
type ByPath = ReadonlyMap<string, ReadonlySet<string>>;

export interface ProgramCalls {
  readonly sources: readonly Source[];
  readonly started: ByPath;
  /** Programs that the set-up is asked for. */
  readonly asked: ByPath;
  /** Programs in the documents' blocks of shell code. */
  readonly typed: ByPath;
}

export function programCalls(
  sources: readonly Source[],
  documents: readonly Document[],
): ProgramCalls {
  const typed = new Map(
    documents.map((document) => [document.path, new Set(typedIn(document, shellOf(document)))]),
  );
  const started = startedPrograms(sources);
  const startedBy = (source: Source) =>
    new Set([...(started.get(source.path) ?? []), ...typedBy(source, documents)]);
  return {
    sources,
    started: new Map(sources.map((source) => [source.path, startedBy(source)])),
    asked: new Map(sources.map((source) => [source.path, askedFor(source)])),
    typed,
  };
}

/** The programs in the commands below the headings that the file names, if it runs commands of documents. */
function typedBy(source: Source, documents: readonly Document[]): readonly string[] {
  const imported = importsOf(source).map(({ specifier }) => targetOf(source.path, specifier));
  if (!imported.includes(TYPES_COMMANDS)) return [];
  const texts = new Set<string>();
  new Visitor({ Literal: ({ value }) => void texts.add(String(value)) }).visit(source.program);
  const headings = [...texts].filter((text) => /^#+ /.test(text));
  return headings.flatMap((heading) =>
    documents
      .filter(({ text }) => text.includes(`\n${heading}\n`))
      .flatMap((document) => typedIn(document, shellBelow(document, heading))),
  );
}

/** Reports calls of programs that may be missing when the tests run. */
export function programOffences(calls: ProgramCalls): readonly string[] {
  const { sources, started, asked, typed } = calls;
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const everAsked = all(asked);
  return [
    ...[...pairs(started), ...pairs(typed)]
      .filter(([, program]) => !present.has(program) && !installable.has(program))
      .map(([file, program]) => `${file} calls ${program}, which no set-up of the tests installs`),
    ...pairs(typed)
      .filter(([, program]) => installable.has(program) && !everAsked.has(program))
      .map(([file, program]) => `${file} calls ${program}, which no test asks the set-up for`),
    ...sources
      .filter((source) => source.path.endsWith(".test.ts"))
      .flatMap((source) => unaskedBy(source, byPath, calls)),
  ];
}

/** Programs that are listed as present or installable and never called. */
export function needlessPrograms({ started, asked, typed }: ProgramCalls): readonly string[] {
  const called = new Set([...all(started), ...all(asked), ...all(typed)]);
  return [...present, ...installable].filter((program) => !called.has(program));
}

/** Programs that a test file or its imports start, without a request to the set-up. */
function unaskedBy(
  test: Source,
  sources: ReadonlyMap<string, Source>,
  { started, asked }: ProgramCalls,
): readonly string[] {
  const files = withImports(test, sources);
  const named = new Set(files.flatMap((file) => [...(asked.get(file) ?? [])]));
  return [...new Set(files.flatMap((file) => [...(started.get(file) ?? [])]))]
    .filter((program) => installable.has(program) && !named.has(program))
    .map((program) => `${test.path} starts ${program} and does not ask the set-up for it`);
}

function withImports(source: Source, sources: ReadonlyMap<string, Source>): readonly string[] {
  const found = new Set<string>();
  const visit = (file: string | undefined): void => {
    const at = file === undefined ? undefined : sources.get(file);
    if (at === undefined || found.has(at.path)) return;
    found.add(at.path);
    for (const { specifier } of importsOf(at)) visit(targetOf(at.path, specifier));
  };
  visit(source.path);
  return [...found];
}

/** The programs that the file names to `whatIsMissing`. */
function askedFor({ program }: Source): ReadonlySet<string> {
  const questions: CallExpression[] = [];
  const asked = new Set<string>();
  new Visitor({
    CallExpression(node) {
      if (node.callee.type === "Identifier" && node.callee.name === "whatIsMissing") {
        questions.push(node);
      }
    },
    Literal({ value, start }) {
      const isInside = questions.some((call) => call.start < start && start < call.end);
      if (isInside && typeof value === "string" && installable.has(value)) asked.add(value);
    },
  }).visit(program);
  return asked;
}

function typedIn({ path: file }: Document, blocks: readonly string[]): readonly string[] {
  const folder = path.join(root, path.dirname(file));
  return blocks.length === 0 ? [] : typedPrograms(blocks.join("\n"), file, folder);
}

function shellOf({ text }: Document): readonly string[] {
  const blocks = fencesIn(text).filter(({ info: [language = ""] }) => SHELL.test(language));
  return blocks.map(({ code }) => code);
}

function pairs(programs: ByPath): readonly (readonly [string, string])[] {
  return [...programs].flatMap(([file, names]) => [...names].map((name) => [file, name] as const));
}

function all(programs: ByPath): ReadonlySet<string> {
  return new Set([...programs.values()].flatMap((names) => [...names]));
}
