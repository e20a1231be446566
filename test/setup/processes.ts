/** Child processes that end when the test does. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { endingWithParent } from "./ends-with-parent.ts";

const END_MS = 5_000;

export class Processes {
  readonly #children: ChildProcess[] = [];
  /** Their output so far. */
  said = "";

  start(command: string, args: readonly string[], name = path.basename(command)): ChildProcess {
    const [program, ...rest] = endingWithParent("SIGTERM", [command, ...args]);
    const child = spawn(program, rest, { stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (piece: Buffer) => (this.said += `${name}: ${piece.toString()}`));
    }
    this.#children.push(child);
    return child;
  }

  /** Whether one of them has ended. */
  get isIncomplete(): boolean {
    return this.#children.some(hasEnded);
  }

  async end(): Promise<void> {
    await Promise.all(this.#children.map(endProcess));
  }
}

export async function endProcess(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const force = setTimeout(() => child.kill("SIGKILL"), END_MS);
  child.kill("SIGTERM");
  await once(child, "exit");
  clearTimeout(force);
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
