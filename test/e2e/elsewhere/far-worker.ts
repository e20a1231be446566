/** The built `sv-worker` in a network namespace, as a worker of an emulator outside it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { NetworkNamespace } from "../../setup/network-namespace.ts";
import { API_KEY } from "../crash/killable-emulator.ts";
import { endingWithParent } from "../../setup/ends-with-parent.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const program = path.join(root, "dist/runtime/sv-worker.cjs");
const handler = path.join(root, "test/fixtures/handlers/writes-its-history.ts");
const tap = path.join(root, "test/fixtures/preload/taps-the-session.ts");

/** Creates a token of the endpoint at the emulator. */
export async function tokenOf(
  url: string,
  endpointId: string,
  apiKey: string | undefined = API_KEY,
): Promise<string> {
  const answer = await fetch(`${url}/emulator/keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "far", scope: "workers", endpointIds: [endpointId] }),
  });
  if (answer.status !== 201) throw new Error(`no token was made: ${await answer.text()}`);
  const { key } = (await answer.json()) as { readonly key: string };
  return key;
}

export interface FarWorkerOptions {
  /** Value of `SV_SERVICE_ADDRESS`. */
  readonly address: string;
  readonly token: string;
  readonly under: NetworkNamespace["under"];
  /** Variables of the worker and its handlers, as `NAME=value`. */
  readonly mark: string;
}

/** Records its messages and actions, like workers of a crash scene. */
export class FarWorker implements AsyncDisposable {
  readonly #child: ChildProcess;
  #printed = "";

  constructor({ address, token, under: [command = "", ...args], mark }: FarWorkerOptions) {
    const [name = "", value = ""] = mark.split("=");
    const run = [process.execPath, program, handler] as const;
    const [first, ...others] = endingWithParent("SIGTERM", [command, ...args, ...run]);
    this.#child = spawn(first, others, {
      stdio: ["ignore", "ignore", "pipe"],
      env: {
        ...process.env,
        [name]: value,
        NODE_OPTIONS: `--import ${tap}`,
        SV_SERVICE_ADDRESS: address,
        SV_WORKER_TOKEN: token,
        SV_STANDBY: "0",
      },
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#printed += text;
    });
  }

  /** Its output so far. */
  get printed(): string {
    return this.#printed;
  }

  /** SIGTERM; resolves with the exit code. */
  async stop(): Promise<number | null> {
    this.#child.kill("SIGTERM");
    return this.#ended();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended();
  }

  async #ended(): Promise<number | null> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode === null && signalCode === null) await once(this.#child, "exit");
    return this.#child.exitCode;
  }
}
