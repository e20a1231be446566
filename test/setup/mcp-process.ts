/** A server of the Model Context Protocol as a process, called over its stdin and stdout: one JSON message per line. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

const PROTOCOL_VERSION = "2025-03-26";

/** The answer of a tool, with its text read as JSON. */
export interface ToolResult {
  readonly isError: boolean;
  readonly value: unknown;
}

export interface McpProcess extends AsyncDisposable {
  /** The names of its tools. */
  readonly tools: readonly string[];
  call(tool: string, args?: object): Promise<ToolResult>;
}

interface Message {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

interface CallResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
}

/**
 * @param program a module for Node
 * @param env all its variables besides PATH
 */
export async function startMcpProcess(
  program: string,
  env: Readonly<Record<string, string>>,
): Promise<McpProcess> {
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const exited = once(child, "exit");
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id = -1, result, error } = JSON.parse(line) as Message;
    if (error) waiting.get(id)?.reject(new Error(error.message));
    else waiting.get(id)?.resolve(result);
    waiting.delete(id);
  });
  const send = (message: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  };
  let lastId = 0;
  const ask = async (method: string, params: object) => {
    lastId += 1;
    const answer = Promise.withResolvers<unknown>();
    waiting.set(lastId, answer);
    send({ id: lastId, method, params });
    return answer.promise;
  };
  const clientInfo = { name: "test", version: "1" };
  await ask("initialize", { protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo });
  send({ method: "notifications/initialized" });
  const { tools } = (await ask("tools/list", {})) as { tools: { name: string }[] };
  return {
    tools: tools.map(({ name }) => name),
    async call(name, args = {}) {
      const result = (await ask("tools/call", { name, arguments: args })) as CallResult;
      const { isError = false, content } = result;
      return { isError, value: JSON.parse(content[0]?.text ?? "null") as unknown };
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
