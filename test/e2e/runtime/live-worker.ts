/** The built `sv-worker` as a process with only the settings of the live service. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { eventually } from "../jobs/observe.ts";
import { program } from "./worker-program.ts";
import { endingWithParent } from "../../setup/ends-with-parent.ts";

const handlers = path.resolve(import.meta.dirname, "../../fixtures/handlers");

/** Use with `await using`. */
export class LiveWorker implements AsyncDisposable {
  readonly child: ChildProcess;
  stderr = "";

  private constructor(child: ChildProcess) {
    this.child = child;
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
  }

  /** @param handler name of a fixture, or the path of a file */
  static start(handler: string, env: Readonly<Record<string, string>>): LiveWorker {
    const file = path.isAbsolute(handler) ? handler : path.join(handlers, `${handler}.ts`);
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("SV_"));
    const [command, ...args] = endingWithParent("SIGTERM", [process.execPath, program, file]);
    const child = spawn(command, args, {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...Object.fromEntries(inherited), ...env },
    });
    return new LiveWorker(child);
  }

  /** Resolves when its log contains the text. */
  async says(text: string): Promise<void> {
    const said = () => (this.stderr.includes(text) ? true : undefined);
    await eventually(`the worker says "${text}"`, said);
  }

  async exit(): Promise<readonly [number | null, string | null]> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      await once(this.child, "close");
    }
    return [this.child.exitCode, this.child.signalCode];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGKILL");
    await this.exit();
  }
}
