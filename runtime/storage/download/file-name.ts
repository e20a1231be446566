/** Makes a file name of the end of a URL or key. */

/** Maximum characters of a name: file systems take 255 bytes, and a character of UTF-8 has up to four. */
const MAX_LENGTH = 60;
const FALLBACK = "download";

/**
 * The last part of a path as a name that is safe on any file system: letters, digits, `.`, `_`, `-` and spaces inside.
 *
 * @param path parts divided by `/`; percent-encoding is undone
 */
export function fileNameOf(path: string): string {
  const last = decoded(path.split("/").findLast((part) => part !== "") ?? "");
  const name = last
    .normalize("NFC")
    .replaceAll(/[^\p{L}\p{M}\p{N}._ -]+/gu, "_")
    .replaceAll(/^[. -]+|[. ]+$/gu, "");
  if (name === "") return FALLBACK;
  // A long name is cut before its ending, which shows the type.
  const ending = /\.[\w-]{1,16}$/u.exec(name)?.[0] ?? "";
  const stem = Array.from(name.slice(0, name.length - ending.length));
  return `${stem.slice(0, MAX_LENGTH - ending.length).join("")}${ending}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
