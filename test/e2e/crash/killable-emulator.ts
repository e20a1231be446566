/** A process of the emulator that tests kill: its output, readiness and end. */
import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { endingWithParent } from "../../setup/ends-with-parent.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const program = path.join(root, "dist/emulator/cli/sv-emulate.js");

export const API_KEY = "crash-key";

export interface KillableOptions {
  /** Path of the config it serves. */
  readonly config: string;
  readonly port: number;
  /** Further arguments of the command line. */
  readonly args?: readonly string[];
  /** A program with its arguments that runs the emulator, such as strace. */
  readonly under?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export class KillableEmulator implements AsyncDisposable {
  /** The address, once the emulator can be called. Rejects when it ends before that. */
  readonly ready: Promise<string>;
  readonly ended: Promise<ProcessEnd>;
  readonly #child: ChildProcess;
  #printed = "";

  constructor({ config, port, args: more = [], under = [], env = {} }: KillableOptions) {
    const [command = process.execPath, ...args] = [
      ...under,
      process.execPath,
      program,
      config,
      // Limits and reload are off: clients send as fast as they get answers, and handlers do not change.
      ...["--port", String(port), "--log", "json", "--limits", "off", "--no-watch"],
      ...more,
    ];
    const [first, ...others] = endingWithParent("SIGTERM", [command, ...args]);
    this.#child = spawn(first, others, {
      stdio: ["ignore", "pipe", "pipe"],
      // Its temporary files go with the directory of its config.
      env: { ...process.env, TMPDIR: path.dirname(config), ...env, SV_API_KEY: API_KEY },
    });
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.ready = promise;
    this.ended = new Promise((end) => {
      this.#child.once("close", (code, signal) => {
        reject(new Error(`the emulator ended before it was ready:\n${this.#printed}`));
        end({ code, signal });
      });
    });
    // A test may kill the process and never ask whether it was ready.
    promise.catch(() => undefined);
    const read = (text: string): void => {
      this.#printed += text;
      const address = /^ready (http:\S+)$/m.exec(this.#printed)?.[1];
      if (address !== undefined) resolve(address);
    };
    this.#child.stdout?.setEncoding("utf8").on("data", read);
    this.#child.stderr?.setEncoding("utf8").on("data", read);
  }

  /** Its output so far. */
  get printed(): string {
    return this.#printed;
  }

  /** SIGSTOP: the process is frozen until `thaw`, and its workers go on. */
  freeze(): void {
    this.#child.kill("SIGSTOP");
  }

  thaw(): void {
    this.#child.kill("SIGCONT");
  }

  /** SIGKILL; resolves when the process and all holders of its pipes are gone. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.ended;
  }

  /** SIGTERM; resolves with the exit code. */
  async stop(): Promise<number | null> {
    this.#child.kill("SIGTERM");
    return (await this.ended).code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}
