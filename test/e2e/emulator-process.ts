/** The built `sv-emulate` as a process that tests start, wait for, read and stop. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import path from "node:path";
import type { Readable } from "node:stream";
import { endingWithParent } from "../setup/ends-with-parent.ts";

/** The built program. */
export const program = path.resolve(import.meta.dirname, "../../dist/emulator/cli/sv-emulate.js");

/** Key of an emulator if `env` sets none. */
const API_KEY = "e2e-test-key";

export interface EmulatorProcessOptions {
  /** Arguments after the program's name; default: none. Without `--port` a free port is chosen. */
  readonly args?: readonly string[];
  /**
   * Added to this process's environment without its `SV_*`. With an empty `SV_API_KEY` the emulator generates a
   * key.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the current directory. */
  readonly cwd?: string;
  /** Default: the program built here. */
  readonly program?: string;
  /** Wrapper that runs it: a program with its arguments. */
  readonly under?: readonly string[];
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface EmulatorProcess extends AsyncDisposable {
  /** For example `http://127.0.0.1:41234`. */
  readonly url: string;
  /** The key given to it; undefined: it generates one. */
  readonly apiKey: string | undefined;
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly stdoutLines: readonly string[];
  readonly stderrLines: readonly string[];
  /** Resolves when it has ended and all its output has been read. */
  readonly exited: Promise<Exit>;
  /**
   * Resolves with the first match in a line of stderr, earlier lines included. Rejects when it ends without a
   * match.
   */
  stderrMatch(pattern: RegExp): Promise<RegExpExecArray>;
  /** SIGTERM; resolves with how it ended. */
  stop(): Promise<Exit>;
}

/** Resolves when the emulator can be called. Rejects with its output if it ends before. */
export async function startEmulatorProcess(
  options: EmulatorProcessOptions = {},
): Promise<EmulatorProcess> {
  const apiKey = options.env?.["SV_API_KEY"] ?? API_KEY;
  const child = launch({ ...options, env: { ...options.env, SV_API_KEY: apiKey } });
  const stdout = new Lines(child.stdout);
  const stderr = new Lines(child.stderr);
  const exited = exitOf(child);
  try {
    const [, url = ""] = await stdout.match(/^ready (https?:\S+)$/);
    return {
      url,
      apiKey: apiKey === "" ? undefined : apiKey,
      child,
      stdoutLines: stdout.all,
      stderrLines: stderr.all,
      exited,
      stderrMatch: async (pattern) => stderr.match(pattern),
      stop: async () => {
        child.kill("SIGTERM");
        return exited;
      },
      [Symbol.asyncDispose]: async () => {
        child.kill("SIGKILL");
        await exited;
      },
    };
  } catch (error) {
    child.kill("SIGKILL");
    const { code, signal } = await exited;
    const text = `the emulator was not ready when it ended (code ${code}, signal ${signal}):`;
    throw new Error([text, ...stderr.all].join("\n"), { cause: error });
  }
}

/** All output of an emulator that ends by itself. */
export interface Run extends Exit {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program to its end, for failing starts and for flags such as `--help`. */
export async function runEmulatorProcess(options: EmulatorProcessOptions): Promise<Run> {
  const child = launch(options);
  const stdout = new Lines(child.stdout);
  const stderr = new Lines(child.stderr);
  const exit = await exitOf(child);
  return { ...exit, stdout: stdout.all.join("\n"), stderr: stderr.all.join("\n") };
}

function launch({
  args = [],
  env = {},
  cwd = process.cwd(),
  program: file = program,
  under = [],
}: EmulatorProcessOptions) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("SV_"));
  const port = args.includes("--port") || "SV_PORT" in env ? [] : ["--port", "0"];
  const [command = "", ...rest] = [...under, process.execPath, file, ...port, ...args];
  const [first, ...others] = endingWithParent("SIGTERM", [command, ...rest]);
  return spawn(first, others, {
    cwd,
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function exitOf(child: ChildProcessByStdio<null, Readable, Readable>): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
}

/** The lines of a stream, and callers that wait for one of them. */
class Lines {
  readonly all: string[] = [];
  readonly #waiting = new Set<() => void>();
  #hasEnded = false;

  constructor(source: Readable) {
    let partial = "";
    source.setEncoding("utf8");
    source.on("data", (text: string) => {
      const pieces = (partial + text).split("\n");
      partial = pieces.pop() ?? "";
      this.all.push(...pieces);
      for (const look of this.#waiting) look();
    });
    source.once("close", () => {
      if (partial !== "") this.all.push(partial);
      this.#hasEnded = true;
      for (const look of this.#waiting) look();
    });
  }

  async match(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      let seen = 0;
      const look = (): void => {
        for (; seen < this.all.length; seen++) {
          const found = pattern.exec(this.all[seen] ?? "");
          if (found === null) continue;
          this.#waiting.delete(look);
          resolve(found);
          return;
        }
        if (!this.#hasEnded) return;
        this.#waiting.delete(look);
        reject(new Error(`no line matches ${String(pattern)}`));
      };
      this.#waiting.add(look);
      look();
    });
  }
}
