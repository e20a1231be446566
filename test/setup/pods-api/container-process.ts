/** Runs a container of a pod as a process of this machine, and keeps its output like a node. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { processesMarked } from "../../e2e/jobs/observe.ts";

export interface LogLine {
  /** Timestamp in nanoseconds, as nodes write it. */
  readonly at: string;
  readonly text: string;
}

export interface ContainerEnd {
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string;
}

const SIGNALS: Readonly<Record<string, number>> = { SIGTERM: 15, SIGKILL: 9, SIGABRT: 6 };

let nanoseconds = 0n;

function stamp(): string {
  const at = BigInt(Date.now()) * 1_000_000n;
  nanoseconds = at > nanoseconds ? at : nanoseconds + 1n;
  const seconds = new Date(Number(nanoseconds / 1_000_000_000n) * 1_000).toISOString().slice(0, 19);
  return `${seconds}.${String(nanoseconds % 1_000_000_000n).padStart(9, "0")}Z`;
}

export class ContainerProcess {
  readonly log: LogLine[] = [];
  /** Resolves when the container and all its processes have ended. */
  readonly ended: Promise<ContainerEnd>;
  isOver = false;
  readonly #mark = `POD=${crypto.randomUUID()}`;
  readonly #written = new Set<() => void>();
  readonly #kill: (signal: NodeJS.Signals) => void = () => undefined;

  constructor(argv: readonly string[], env: Readonly<Record<string, string>>) {
    const [program = "", ...args] = argv;
    const [name = "", value = ""] = this.#mark.split("=");
    try {
      const child = spawn(program, args, {
        env: { PATH: process.env["PATH"] ?? "", ...env, [name]: value },
        stdio: ["ignore", "pipe", "pipe"],
        detached: true,
      });
      this.#kill = (signal) => void child.kill(signal);
      const outputs = [child.stdout, child.stderr].map((input) => this.#read(input));
      this.ended = new Promise<ContainerEnd>((resolve) => {
        child.once("error", (error) => resolve(startError(error)));
        child.once("exit", (code, signal) => {
          this.#endAll();
          const exitCode = code ?? 128 + (SIGNALS[signal ?? ""] ?? 0);
          const end = { exitCode, reason: exitCode === 0 ? "Completed" : "Error" };
          void Promise.all(outputs).then(() => resolve(end));
        });
      });
    } catch (error) {
      this.ended = Promise.resolve(startError(error));
    }
    void this.ended.then(() => {
      this.isOver = true;
      this.#tell();
    });
  }

  terminate(): void {
    this.#kill("SIGTERM");
  }

  kill(): void {
    this.#kill("SIGKILL");
    this.#endAll();
  }

  get processCount(): number {
    return processesMarked(this.#mark).length;
  }

  /** Calls `written` after each output, and at the end. */
  follow(written: () => void): () => void {
    this.#written.add(written);
    return () => this.#written.delete(written);
  }

  /** Ends all processes, because a container's processes end with its first one. */
  #endAll(): void {
    for (const { pid } of processesMarked(this.#mark)) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has ended already.
      }
    }
  }

  async #read(input: NodeJS.ReadableStream): Promise<void> {
    for await (const text of createInterface({ input })) {
      this.log.push({ at: stamp(), text });
      this.#tell();
    }
  }

  #tell(): void {
    for (const written of this.#written) written();
  }
}

/** The error in containerd's words. */
function startError(error: unknown): ContainerEnd {
  const said = String(error).includes("E2BIG") ? "argument list too long" : String(error);
  const message = `failed to create containerd task: failed to create shim task: OCI runtime create failed: ${said}: unknown`;
  return { exitCode: 128, reason: "StartError", message };
}
