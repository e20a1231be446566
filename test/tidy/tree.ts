/** Lists the files of this repository for its rules: written source, and written text of any kind. */
import fs from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");

/** Files made by tools, or foreign data. */
const skippedFolders =
  /^(node_modules|dist|coverage|\.git|\.reports|\.sv|bench\/results|runtime\/protocol\/generated|emulator\/dashboard\/service\/generated|(examples\/[^/]+|test\/fixtures)\/data)(\/|$)|(^|\/)node_modules(\/|$)/;
const skippedFiles = /^(package-lock\.json)$|\.(jpe?g|png|webp|gif|ico|tgz|bin|txt)$/;

/** One file: its path from the root with forward slashes, and its text. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

export function textFiles(): readonly TextFile[] {
  return listed("")
    .filter((file) => !skippedFiles.test(file))
    .map((file) => ({ path: file, text: fs.readFileSync(path.join(root, file), "utf8") }));
}

export function isSource(file: TextFile): boolean {
  return /\.(ts|mts|cts|tsx|js|mjs|cjs)$/.test(file.path);
}

function listed(folder: string): string[] {
  const entries = fs.readdirSync(path.join(root, folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (skippedFolders.test(name)) return [];
    if (entry.isDirectory()) return listed(name);
    return entry.isFile() ? [name] : [];
  });
}
