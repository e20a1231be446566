/** The name by which a person called the program, put into texts that tell them what to type. */
import path from "node:path";

const OWN_NAME = /\bsv-emulate\b/gu;

/**
 * Who called `npx sv-runtime` may have no `sv-emulate` anywhere.
 *
 * @param program what was run, with its path; default: this process
 */
export function asCalled(text: string, program = process.argv[1] ?? ""): string {
  const isOther = /^sv-runtime\b/u.test(path.basename(program));
  return isOther ? text.replaceAll(OWN_NAME, "npx sv-runtime") : text;
}
