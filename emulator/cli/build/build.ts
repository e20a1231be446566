/** Runs `sv-emulate build`: finds the program, builds the image, shows the progress, and prints the image's name. */
import { basename, dirname, join, resolve } from "node:path";
import { existsSync } from "node:fs";
import { printable } from "../../../runtime/protocol/printable.ts";
import type { UserProgram } from "../../image/user-program.ts";
import type { BuildFlags } from "./build-flags.ts";
import { buildArgsOf, secretsOf } from "./build-inputs.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import {
  checkEnding,
  contentOf,
  HANDLER_STEM,
  missingSentence,
  placeAt,
  SERVER_STEM,
  shownPath,
  stemOf,
} from "../given-path.ts";
import type { StopSignals } from "../signals.ts";
import { UsageError } from "../usage-error.ts";

export interface BuildInvocation {
  readonly target: string | undefined;
  readonly flags: BuildFlags;
}

/** The outputs: `out` for the image's name, `err` for the progress. */
export interface BuildOutput {
  readonly out: NodeJS.WritableStream;
  readonly err: NodeJS.WriteStream;
  readonly colors: boolean;
}

export async function runBuildCommand(
  { target, flags }: BuildInvocation,
  cwd: string,
  signals: StopSignals,
  output: BuildOutput,
): Promise<ExitCode> {
  const { directory, program } = await buildTarget(target ?? ".", cwd);
  const name = basename(directory);
  const tag = flags.tag ?? `${imageName(name)}:latest`;
  const templateFile =
    flags.templateOut === undefined
      ? join(directory, "template.json")
      : resolve(cwd, flags.templateOut);
  const stopped = new AbortController();
  const [{ buildImages }, { openBuildView }] = await Promise.all([
    import("../../image/build-images.ts"),
    import("./view/build-view.ts"),
  ]);
  const view = openBuildView({ stream: output.err, colors: output.colors });
  const built = buildImages({
    ...{ directory, program, tag, name, templateFile },
    ...{ baseImage: flags.baseImage, nodeImage: flags.nodeImage, platform: flags.platform },
    rebuildBase: flags.rebuildBase === true,
    pull: flags.pull === true,
    buildArgs: buildArgsOf(flags.buildArg, process.env),
    secrets: secretsOf(flags.secret, cwd, process.env),
    push: flags.push === true,
    signal: stopped.signal,
    report: view,
  }).finally(() => view.close());
  const leftOut = await Promise.race([built, signals.nth(1).then(() => undefined)]);
  if (leftOut === undefined) {
    stopped.abort();
    await Promise.race([built.catch(() => undefined), signals.nth(2)]);
    view.close();
    return EXIT.stoppedAtOnce;
  }
  view.sumUp();
  if (leftOut.length > 0) output.err.write(leftOutLine(leftOut));
  const use = makesServer(directory, program) ? ", for endpoints of type LOAD_BALANCING" : "";
  output.err.write(`template ${shownPath(templateFile, cwd)}${use}\n`);
  output.out.write(`${tag}\n`);
  return EXIT.stopped;
}

/** A Dockerfile of the directory may make another kind of image. */
function makesServer(directory: string, program: UserProgram | undefined): boolean {
  return program?.kind === "server" && !existsSync(join(directory, "Dockerfile"));
}

/** Maximum number of files that are named. */
const LEFT_OUT_NAMES = 20;

function leftOutLine(paths: readonly string[]): string {
  const named = paths.slice(0, LEFT_OUT_NAMES).map((path) => printable(path, false));
  const more = paths.length > LEFT_OUT_NAMES ? ` and ${paths.length - LEFT_OUT_NAMES} more` : "";
  return `left out as secrets: ${named.join(", ")}${more} (a line with ! in .dockerignore includes a file)\n`;
}

interface BuildTarget {
  readonly directory: string;
  /** Undefined if only the directory's Dockerfile says what to run. */
  readonly program: UserProgram | undefined;
}

/** @throws UsageError if there is nothing to build an image of */
export async function buildTarget(target: string, cwd: string): Promise<BuildTarget> {
  const path = resolve(cwd, target);
  const place = await placeAt(path, cwd);
  if (place === "nothing") throw new UsageError(await missingSentence(path, cwd));
  if (place === "file") {
    checkEnding(path, cwd);
    return { directory: dirname(path), program: programOf(path) };
  }
  const { handler, server } = await contentOf(path, cwd);
  // Chooses as a start of the service does.
  const file = handler ?? server;
  if (file !== undefined || existsSync(join(path, "Dockerfile"))) {
    return { directory: path, program: file === undefined ? undefined : programOf(file) };
  }
  throw new UsageError(
    `${shownPath(path, cwd)} holds neither a handler (${HANDLER_STEM}.ts or the like), nor a server (${SERVER_STEM}.ts), nor a Dockerfile`,
  );
}

function programOf(file: string): UserProgram {
  return { file, kind: stemOf(file) === SERVER_STEM ? "server" : "handler" };
}

/** The directory's name as a registry allows it. */
export function imageName(directory: string): string {
  const name = directory
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^-|-$/gu, "");
  return name === "" ? "worker" : name;
}
