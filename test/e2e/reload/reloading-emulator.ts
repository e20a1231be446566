/** `sv-emulate` on a directory of handlers that a test edits like a user. */
import fs from "node:fs";
import path from "node:path";
import { createClient, type Client, JobFailedError } from "../../../runtime/client/index.ts";
import { temporaryTree, type TemporaryTree } from "../../temporary-tree.ts";
import { type EmulatorProcess, startEmulatorProcess } from "../emulator-process.ts";
import { eventually, type ObservedProcess, processesMarked } from "../jobs/observe.ts";

/** A handler that returns this text. */
export function answering(text: string): string {
  return `export default async (): Promise<string> => ${JSON.stringify(text)};\n`;
}

interface StartOptions {
  readonly args?: readonly string[];
  /** Symbolic links by path, with their targets. */
  readonly links?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

export class ReloadingEmulator implements AsyncDisposable {
  readonly emulator: EmulatorProcess;
  readonly client: Client;
  readonly #tree: TemporaryTree;
  readonly #mark: string;

  private constructor(
    emulator: EmulatorProcess,
    client: Client,
    { tree, mark }: { readonly tree: TemporaryTree; readonly mark: string },
  ) {
    this.emulator = emulator;
    this.client = client;
    this.#tree = tree;
    this.#mark = mark;
  }

  /** Serves the handlers in `app`, unless other `args` are given. */
  static async start(
    files: Readonly<Record<string, string>>,
    { args = ["app"], links = {}, env = {} }: StartOptions = {},
  ): Promise<ReloadingEmulator> {
    const tree = await temporaryTree(files);
    for (const [link, target] of Object.entries(links)) fs.symlinkSync(target, tree.path(link));
    const mark = `SET_FOR_RELOAD=${crypto.randomUUID()}`;
    const [name = "", value = ""] = mark.split("=");
    const emulator = await startEmulatorProcess({
      args: [...args, "--ephemeral", "--s3-port", "off", "--limits", "off"],
      cwd: tree.root,
      env: { ...env, [name]: value },
    });
    const client = createClient({ baseUrl: emulator.url, apiKey: emulator.apiKey });
    const started = new ReloadingEmulator(emulator, client, { tree, mark });
    return started;
  }

  path(...parts: readonly string[]): string {
    return this.#tree.path(...parts);
  }

  /** Writes a file in place, like most editors. */
  save(file: string, text: string): void {
    fs.mkdirSync(path.dirname(this.path(file)), { recursive: true });
    fs.writeFileSync(this.path(file), text);
  }

  async call(endpointId: string, input: object = {}): Promise<unknown> {
    return (await this.client.endpoint(endpointId).runSync(input)).output;
  }

  /** Number of rebuilds of the endpoint's handler in the log. */
  reloads(endpointId: string): number {
    return this.logged(/"built: /u).filter((line) => line.includes(`"endpointId":"${endpointId}"`))
      .length;
  }

  /** Resolves after this number of rebuilds of the endpoint's handler. */
  async reloaded(endpointId: string, times: number): Promise<void> {
    await eventually(`${times} reloads`, () => this.reloads(endpointId) >= times || undefined);
  }

  /** Error of its next job. */
  async failureOf(endpointId: string): Promise<JobFailedError> {
    const failure: unknown = await this.call(endpointId).catch((error: unknown) => error);
    if (failure instanceof JobFailedError) return failure;
    throw new Error(`the job did not fail, its output is ${JSON.stringify(failure)}`);
  }

  logged(pattern: RegExp): readonly string[] {
    return this.emulator.stderrLines.filter((line) => pattern.test(line));
  }

  /** The emulator and all its descendants. */
  processes(): readonly ObservedProcess[] {
    return processesMarked(this.#mark);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
    await this.emulator.stop();
    const left = this.processes();
    for (const { pid } of left) process.kill(pid, "SIGKILL");
    await this.#tree[Symbol.asyncDispose]();
    if (left.length > 0)
      throw new Error(`left: ${left.map(({ commandLine }) => commandLine).join()}`);
  }
}

/** Calls until this answer comes; ignores other answers and errors. */
export async function expectAnswer(
  served: ReloadingEmulator,
  endpointId: string,
  wanted: unknown,
): Promise<void> {
  await eventually(`the answer ${JSON.stringify(wanted)}`, async () => {
    const answer = await served.call(endpointId).catch(() => undefined);
    return answer === wanted || undefined;
  });
}
