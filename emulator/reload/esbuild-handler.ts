/** Builds a handler with esbuild, which keeps its parsed files from one build to the next. */
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { BuildContext, BuildOptions, BuildResult, Message } from "esbuild";
import { MADE_BY, notePath, type BundleNote } from "../../runtime/load/bundle-note.ts";
import { configFilesOf } from "../../runtime/load/config-files.ts";
import { isImportable } from "../../runtime/load/prepare-handler.ts";
import {
  type BundledProgram,
  bundlePrograms,
  type ProgramFile,
  programsFolder,
} from "../../runtime/load/bundle-programs.ts";
import { needsOwnImports } from "../../runtime/load/own-imports.ts";
import type { Programs } from "../../runtime/load/programs.ts";
import {
  bundled,
  handlerBuild,
  type HandlerBuild,
  holdBundler,
  type HeldBundler,
  sentenceOf,
} from "../../runtime/load/run-bundler.ts";
import type { BuildProblem } from "./build-problem.ts";
import type { Build, BuiltHandler } from "./bundler.ts";
import { followImports, noteFiles } from "./note-files.ts";

/** Number of kept bundles. A worker may have to restart its process with an older one. */
const KEPT_BUNDLES = 20;

const UNRESOLVED = /^Could not resolve "(.+)"/u;

/**
 * TypeScript becomes a bundle in `folder`. JavaScript is imported as it is: a build only follows its imports and finds syntax
 * errors. Node may resolve imports that the build cannot.
 */
export class EsbuildHandler implements BuiltHandler {
  readonly #handlerPath: string;
  readonly #folder: string;
  readonly #name: string;
  readonly #files = new Set<string>();
  #knownFiles: ReadonlySet<string> = new Set();
  #bundler: HeldBundler | undefined;
  #graph: Rebuild | undefined;
  /** Programs that the last build starts. */
  readonly #programs: Programs = new Map();
  /** The handler's bundle as "", those of programs by their source files. */
  readonly #bundles = new Map<string, Bundle>();
  /** Whether packages are not all left to Node. */
  #ownsImports = false;
  #count = 0;

  /** @param name prefix of the names of its bundles */
  constructor(handlerPath: string, folder: string, name: string) {
    this.#handlerPath = handlerPath;
    this.#folder = folder;
    this.#name = name;
  }

  async build(): Promise<Build> {
    this.#files.clear();
    try {
      const sourcePath = fs.realpathSync(this.#handlerPath);
      const isPlain = isImportable(sourcePath);
      const modulePath = isPlain ? sourcePath : await this.#makeBundle(sourcePath);
      if (isPlain) await this.#follow(sourcePath);
      this.#knownFiles = new Set(this.#files);
      const files = this.#knownFiles;
      const fingerprint = await fingerprintOf(files);
      return { isBuilt: true, modulePath, sourcePath, fingerprint, files, missing: new Set() };
    } catch (error) {
      return this.#failed(error);
    }
  }

  async close(): Promise<void> {
    for (const build of [this.#graph, ...this.#bundles.values()]) await build?.dispose();
    this.#bundles.clear();
    this.#bundler?.release();
    this.#bundler = undefined;
  }

  async #makeBundle(sourcePath: string): Promise<string> {
    this.#programs.clear();
    const { code } = await this.#rebuild(sourcePath);
    const programs = await bundlePrograms(
      this.#programs,
      (file) => file,
      (file) => this.#rebuild(file, sourcePath),
    );
    return this.#write(sourcePath, code, programs.files);
  }

  async #rebuild(sourcePath: string, programOf?: string): Promise<BundledProgram> {
    const key = programOf === undefined ? "" : sourcePath;
    const bundle = this.#bundles.get(key) ?? (await this.#openBundle(sourcePath, programOf));
    this.#bundles.set(key, bundle);
    const result = await bundle.rebuild();
    const { metafile } = result;
    const isFinal =
      this.#ownsImports ||
      metafile === undefined ||
      !(await needsOwnImports(metafile, bundle.options));
    if (isFinal) return bundled(result, bundle.options);
    this.#ownsImports = true;
    for (const each of this.#bundles.values()) await each.dispose();
    this.#bundles.clear();
    return this.#rebuild(sourcePath, programOf);
  }

  async #openBundle(sourcePath: string, programOf: string | undefined): Promise<Bundle> {
    const folder = path.join(this.#folder, programOf === undefined ? "" : "programs");
    const [programs, ownsImports] = [this.#programs, this.#ownsImports];
    const options = handlerBuild(sourcePath, folder, { programs, programOf, ownsImports });
    const noted = { ...options, plugins: [noteFiles(this.#files), ...options.plugins] };
    const context = await this.#open(noted);
    return { options, rebuild: () => context.rebuild(), dispose: () => context.dispose() };
  }

  /** Writes synchronously, which is quicker than the thread pool: a person waits for it. */
  #write(sourcePath: string, code: Uint8Array, programs: readonly ProgramFile[]): string {
    if (this.#count === 0) fs.mkdirSync(this.#folder, { recursive: true });
    this.#count += 1;
    const modulePath = this.#bundlePath(this.#count);
    const note: BundleNote = { sourcePath, madeBy: MADE_BY, inputs: [] };
    if (programs.length > 0) fs.mkdirSync(programsFolder(modulePath), { recursive: true });
    for (const { name, content } of programs)
      fs.writeFileSync(path.join(programsFolder(modulePath), name), content);
    fs.writeFileSync(modulePath, code);
    fs.writeFileSync(notePath(modulePath), JSON.stringify(note));
    const oldest = this.#bundlePath(this.#count - KEPT_BUNDLES);
    for (const file of [oldest, notePath(oldest), programsFolder(oldest)])
      fs.rmSync(file, { recursive: true, force: true });
    return modulePath;
  }

  #bundlePath(count: number): string {
    return path.join(this.#folder, `${this.#name}-${count}.mjs`);
  }

  /** Notes all files that the code will load, also in packages of the workspace. */
  async #follow(sourcePath: string): Promise<void> {
    const { packages: _, sourcemap: __, ...options } = handlerBuild(sourcePath, this.#folder);
    this.#graph ??= await this.#open({
      ...options,
      plugins: [noteFiles(this.#files), followImports],
    });
    await this.#graph.rebuild().catch((error: unknown) => {
      const isSyntax = messagesOf(error).some(({ text }) => !UNRESOLVED.test(text));
      if (isSyntax) throw error;
    });
  }

  async #open(options: BuildOptions): Promise<Rebuild> {
    this.#bundler ??= await holdBundler();
    return this.#bundler.esbuild.context({ ...options, plugins: [...(options.plugins ?? [])] });
  }

  #failed(error: unknown): Build {
    const folder = path.dirname(this.#handlerPath);
    const messages = messagesOf(error);
    const problems = messages.map((message) => problemOf(message, folder));
    const files = new Set([...this.#knownFiles, ...this.#files, this.#handlerPath]);
    const missing = messages.flatMap(({ text, location }) => {
      const [, specifier] = UNRESOLVED.exec(text) ?? [];
      if (specifier === undefined || location === null) return [];
      return [path.resolve(folder, path.dirname(location.file), withoutEnding(specifier))];
    });
    const words = error instanceof Error ? error.message : String(error);
    return {
      isBuilt: false,
      problems: problems.length > 0 ? problems : [{ text: words }],
      files,
      missing: new Set(missing),
    };
  }
}

type Rebuild = Pick<BuildContext, "dispose"> & { rebuild(): Promise<BuildResult> };
type Bundle = Rebuild & { readonly options: HandlerBuild };

/** Covers the content of the files, and of those that configure what is made of them. */
async function fingerprintOf(files: ReadonlySet<string>): Promise<string> {
  const digest = createHash("sha256");
  for (const file of [...files, ...(await configFilesOf(files))].toSorted()) {
    const content = await fs.promises.readFile(file).catch(() => "gone");
    digest.update(`${file} ${content.length} `).update(content);
  }
  return digest.digest("base64url");
}

/** The path without its file name extension. */
function withoutEnding(file: string): string {
  return file.slice(0, file.length - path.extname(file).length);
}

function messagesOf(error: unknown): readonly Message[] {
  const isFailure = error instanceof Error && "errors" in error && Array.isArray(error.errors);
  return isFailure ? (error.errors as Message[]) : [];
}

function problemOf(message: Message, folder: string): BuildProblem {
  const { location } = message;
  const text = sentenceOf(message);
  if (location === null) return { text };
  const { file, line, column, length, lineText } = location;
  const place = { file: path.resolve(folder, file), line, column: column + 1, length, lineText };
  return { text, place };
}
