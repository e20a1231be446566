/** The keys that can be the path of a file in a volume. */
import { Buffer } from "node:buffer";

/** Name of the directory in a volume with unfinished uploads, which are no objects. */
export const STAGING_NAME = ".sv-objects";

const NAME_MAX_BYTES = 255;

type KeyPath =
  | { readonly names: readonly string[]; readonly problem?: undefined }
  | { readonly names?: undefined; readonly problem: string };

/** The path of a key's file as names, or the reason why there can be no such file. */
export function pathOfKey(key: string): KeyPath {
  const names = key.split("/");
  for (const name of names) {
    const problem = problemWith(name);
    if (problem !== undefined) return { problem };
  }
  if (names[0] === STAGING_NAME)
    return { problem: `"${STAGING_NAME}" is where unfinished uploads wait` };
  return { names };
}

function problemWith(name: string): string | undefined {
  if (name === "")
    return 'it has an empty part: a "/" at its beginning, at its end or behind another';
  if (name === "." || name === "..") return `"${name}" is no name of a file`;
  if (name.includes("\0")) return "it has the character NUL";
  if (Buffer.byteLength(name) <= NAME_MAX_BYTES) return undefined;
  return `a part of it between two "/" has more than ${NAME_MAX_BYTES} bytes`;
}
