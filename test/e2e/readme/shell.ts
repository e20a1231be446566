/** A shell that runs one command after the other, as a user pastes them, with the time of each piece of output. */
import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

export interface Ran {
  readonly output: string;
  /** The pieces of the output. */
  readonly pieces: readonly Piece[];
  readonly exitCode: number;
}

export interface Piece {
  readonly text: string;
  /** Time since the command was typed, ms. */
  readonly afterMs: number;
}

export interface Shell extends AsyncDisposable {
  /** Resolves when the command has ended; later commands see its variables. Run one command at a time. */
  run(command: string): Promise<Ran>;
}

export interface ShellOptions {
  readonly cwd: string;
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Opens bash; stderr of commands is shown. */
export function openShell({ cwd, env = {} }: ShellOptions): Shell {
  const child = spawn("bash", ["--noprofile", "--norc"], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdout.setEncoding("utf8");
  return {
    run: async (command) => run(child, command),
    [Symbol.asyncDispose]: async () => {
      const closed = once(child, "close");
      child.kill("SIGKILL");
      await closed;
    },
  };
}

async function run(
  child: ChildProcessByStdio<Writable, Readable, null>,
  command: string,
): Promise<Ran> {
  if (command === "" || child.exitCode !== null) throw new Error(`cannot be run: "${command}"`);
  const mark = randomUUID();
  const end = new RegExp(`\\n${mark} (\\d+)\\n`);
  const pieces: Piece[] = [];
  const startedAt = performance.now();
  // A command must not read the input that is typed after it.
  child.stdin.write(`{\n${command}\n} < /dev/null\nprintf '\\n%s %d\\n' ${mark} $?\n`);
  return new Promise((resolve, reject) => {
    const take = (text: string): void => {
      pieces.push({ text, afterMs: performance.now() - startedAt });
      const all = pieces.map((piece) => piece.text).join("");
      const found = end.exec(all);
      if (found === null) return;
      child.stdout.removeListener("data", take);
      child.removeListener("close", closed);
      resolve({ output: all.slice(0, found.index), pieces, exitCode: Number(found[1]) });
    };
    const closed = (): void => reject(new Error(`the shell ended amid: ${command}`));
    child.stdout.on("data", take);
    child.once("close", closed);
  });
}

/** The commands of a block of shell code, without comments; a command ends with the line that completes it. */
export function commandsIn(code: string): readonly string[] {
  const commands: string[] = [];
  let open = "";
  for (const line of code.split("\n")) {
    if (open === "" && (line.trim() === "" || line.startsWith("#"))) continue;
    open += `${line}\n`;
    if (line.endsWith("\\") || !isWhole(open)) continue;
    commands.push(open.trimEnd());
    open = "";
  }
  if (open !== "") throw new Error(`no shell can make anything of: ${open}`);
  return commands;
}

function isWhole(code: string): boolean {
  return (
    spawnSync("bash", ["-n"], { input: code, stdio: ["pipe", "ignore", "ignore"] }).status === 0
  );
}
