/** The emulator started from a program, with options that the command line does not have. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import readline from "node:readline";
import type { EmulatorOptions } from "../../../../emulator/index.ts";
import { endingWithParent } from "../../../setup/ends-with-parent.ts";

const program = path.resolve(import.meta.dirname, "../../../fixtures/programs/emulator.ts");

export type LogLine = Readonly<Record<string, unknown>>;

export class LibraryEmulator implements AsyncDisposable {
  readonly url: string;
  readonly log: readonly LogLine[];
  readonly #child: ChildProcess;

  private constructor(url: string, log: readonly LogLine[], child: ChildProcess) {
    this.url = url;
    this.log = log;
    this.#child = child;
  }

  /** `temporary` is its directory for temporary files. */
  static async start(options: EmulatorOptions, temporary: string): Promise<LibraryEmulator> {
    const run = [process.execPath, program, JSON.stringify(options)] as const;
    const [command, ...args] = endingWithParent("SIGTERM", run);
    const child = spawn(command, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, TMPDIR: temporary },
    });
    const log: LogLine[] = [];
    readline.createInterface({ input: child.stderr }).on("line", (line) => {
      log.push(line.startsWith("{") ? (JSON.parse(line) as LogLine) : { msg: line });
    });
    for await (const line of readline.createInterface({ input: child.stdout })) {
      const url = /^ready (\S+)$/.exec(line)?.[1];
      if (url !== undefined) return new LibraryEmulator(url, log, child);
    }
    throw new Error(`the emulator did not start: ${log.map(({ msg }) => String(msg)).join("\n")}`);
  }

  /** SIGTERM; resolves with the exit code, null if a signal ended it. */
  async stop(): Promise<number | null> {
    this.#child.kill("SIGTERM");
    return this.#ended();
  }

  async #ended(): Promise<number | null> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode === null && signalCode === null) await once(this.#child, "close");
    return this.#child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended();
  }
}
