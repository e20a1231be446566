/** The client programs of a cluster. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { text } from "node:stream/consumers";

/**
 * Returns its trimmed stdout; `input` goes to stdin.
 * @throws Error with its output on failure
 */
export type Client = (args: readonly string[], input?: object) => Promise<string>;

export function clientWith(program: string, kubeconfig: string): Client {
  return async (args, input) => {
    const child = spawn(program, ["--kubeconfig", kubeconfig, ...args]);
    child.stdin.on("error", () => undefined).end(input && JSON.stringify(input));
    const closed = once(child, "close");
    const [out, said] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [code] = (await closed) as [number | null];
    if (code !== 0)
      throw new Error(`${path.basename(program)} ${args.join(" ")} failed:\n${out}${said}`);
    return out.trim();
  };
}
