/** Runs programs that file permissions bind, as they bind everyone but root. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

/**
 * Capabilities that a root process drops. It stays root and keeps its read access: other users may not reach the source of the
 * tests.
 */
const RIGHTS = "--bounding-set=-dac_override,-fowner";

/** What the program prints. @throws Error where it fails */
export async function runBound(program: string, args: readonly string[]): Promise<string> {
  const [command, ...rest] =
    process.geteuid?.() === 0 ? ["setpriv", RIGHTS, program, ...args] : [program, ...args];
  const { stdout } = await promisify(execFile)(command ?? program, rest);
  return stdout;
}
