/** Runs programs that file permissions bind like any user except root. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

/**
 * Capabilities that a root process drops. It stays root and keeps its read access: other users may not be able to
 * read the source of the tests.
 */
const RIGHTS = "--bounding-set=-dac_override,-fowner";

/**
 * Output of the program.
 * @throws Error if it fails
 */
export async function runBound(program: string, args: readonly string[]): Promise<string> {
  const [command, ...rest] =
    process.geteuid?.() === 0 ? ["setpriv", RIGHTS, program, ...args] : [program, ...args];
  const { stdout } = await promisify(execFile)(command ?? program, rest);
  return stdout;
}
