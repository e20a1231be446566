/** Puts the name by which the program was called into texts that say what to type. */
import path from "node:path";

const OWN_NAME = /\bsv-emulate\b/gu;

/**
 * After `npx sv-runtime` there may be no `sv-emulate` to call.
 *
 * @param program path of the program; default: that of this process
 */
export function asCalled(text: string, program = process.argv[1] ?? ""): string {
  const isOther = /^sv-runtime\b/u.test(path.basename(program));
  return isOther ? text.replaceAll(OWN_NAME, "npx sv-runtime") : text;
}
