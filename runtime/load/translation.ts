/** Translates sources whose options esbuild would not heed: those of a referenced project, and metadata of decorators. */
import { createRequire } from "node:module";
import path from "node:path";
import type { Loader, PluginBuild } from "esbuild";
import type { Project, Projects } from "./tsconfig.ts";

/** At the beginning of a line, or of a parameter. */
const DECORATOR = /(?:^|[(,;{}])\s*@[A-Za-z_$(]/mu;

type CompilerOptions = NonNullable<Project["config"]["compilerOptions"]>;

export class Translation {
  readonly #projects: Projects;
  /** The last translation of each file, and what it was made of. */
  readonly #done = new Map<string, { readonly from: string; readonly code: string }>();

  constructor(projects: Projects) {
    this.#projects = projects;
  }

  /**
   * The source itself if esbuild does what the project wants. The result is still to be read by the same loader.
   *
   * @throws Error if metadata is wanted and the project has no compiler that emits it
   */
  async of(
    source: string,
    file: string,
    loader: Loader,
    { esbuild }: PluginBuild,
  ): Promise<string> {
    if (loader !== "ts" && loader !== "tsx") return source;
    const referenced = await this.#projects.referenced(file);
    const project =
      referenced ?? (DECORATOR.test(source) ? await this.#projects.of(file) : undefined);
    if (project === undefined) return source;
    const options = project.config.compilerOptions ?? {};
    const from = JSON.stringify(options) + source;
    const done = this.#done.get(file);
    if (done?.from === from) return done.code;
    let code = source;
    if (wantsMetadata(options) && DECORATOR.test(source))
      code = await withMetadata(code, file, project);
    if (referenced !== undefined) {
      const terms = { loader, sourcemap: "inline", sourcefile: path.basename(file) } as const;
      const tsconfigRaw = { compilerOptions: options as object };
      // Errors of syntax are reported by the build itself.
      const made = await esbuild.transform(code, { ...terms, tsconfigRaw }).catch(() => undefined);
      code = made?.code ?? code;
    }
    this.#done.set(file, { from, code });
    return code;
  }
}

function wantsMetadata({
  emitDecoratorMetadata,
  experimentalDecorators,
}: CompilerOptions): boolean {
  return emitDecoratorMetadata === true && experimentalDecorators === true;
}

/** By the compiler that the project has installed. The source itself if it has errors, which the build reports. */
async function withMetadata(source: string, file: string, project: Project): Promise<string> {
  const {
    target,
    useDefineForClassFields: isSet,
    verbatimModuleSyntax = false,
  } = project.config.compilerOptions ?? {};
  const useDefineForClassFields = isSet ?? (target === undefined || HAS_CLASS_FIELDS.test(target));
  const filename = path.basename(file);
  const typescript = installed("typescript", file) as TypeScript | undefined;
  if (typescript?.transpileModule !== undefined) {
    const compilerOptions = {
      ...{ experimentalDecorators: true, emitDecoratorMetadata: true, inlineSourceMap: true },
      ...{ module: typescript.ModuleKind.ESNext, target: typescript.ScriptTarget.ESNext },
      ...{ jsx: typescript.JsxEmit.Preserve, useDefineForClassFields, verbatimModuleSyntax },
    };
    const options = { fileName: filename, compilerOptions, reportDiagnostics: true };
    const { outputText, diagnostics } = typescript.transpileModule(source, options);
    return diagnostics.length > 0 ? source : outputText;
  }
  const swc = installed("@swc/core", file) as Swc | undefined;
  if (swc === undefined) throw new Error(withoutCompiler(file, project));
  const transform = {
    ...{ legacyDecorator: true, decoratorMetadata: true, react: { runtime: "preserve" } },
    ...{ useDefineForClassFields, verbatimModuleSyntax },
  };
  const parser = { syntax: "typescript", tsx: file.endsWith("x"), decorators: true };
  const translated = swc.transform(source, {
    ...{ filename, configFile: false, swcrc: false, isModule: true, sourceMaps: "inline" },
    jsc: { target: "esnext", keepClassNames: true, parser, transform },
  });
  return (await translated.catch(() => undefined))?.code ?? source;
}

/** Targets with class fields, as get-tsconfig writes them. */
const HAS_CLASS_FIELDS = /^es(?:202[2-9]|20[3-9]\d|next)$/iu;

/** TypeScript up to version 6. Later versions cannot translate single files. */
interface TypeScript {
  readonly transpileModule?: (
    source: string,
    options: object,
  ) => { readonly outputText: string; readonly diagnostics: readonly object[] };
  readonly ModuleKind: { readonly ESNext: number };
  readonly ScriptTarget: { readonly ESNext: number };
  readonly JsxEmit: { readonly Preserve: number };
}

/** Line and column of the first one. */
export function placeOfDecorator(source: string): {
  readonly line: number;
  readonly column: number;
} {
  const { 0: found = "", index = 0 } = DECORATOR.exec(source) ?? {};
  const before = source.slice(0, index + found.indexOf("@")).split("\n");
  return { line: before.length, column: before.at(-1)?.length ?? 0 };
}

interface Swc {
  transform(source: string, options: object): Promise<{ readonly code: string }>;
}

/** A package of the project, if it is there. */
function installed(name: string, file: string): unknown {
  const ownRequire = createRequire(file);
  try {
    ownRequire.resolve(name);
  } catch {
    return undefined;
  }
  return ownRequire(name) as unknown;
}

function withoutCompiler(file: string, { path: tsconfig }: Project): string {
  return (
    `${path.basename(file)} has decorators, and "emitDecoratorMetadata" in ${tsconfig} asks for their metadata. ` +
    "That needs a compiler in the project that emits it: npm install --save-dev @swc/core, or typescript@6. " +
    'Without the metadata: remove "emitDecoratorMetadata"'
  );
}
