/** Shell commands out of the documents, pointed at an emulator that was started for a test, and run in their order. */
import { fencesIn, readDocument } from "../../unit/docs/documents.ts";
import { commandsIn, type Ran, type Shell } from "./shell.ts";

/** Where the documents say that the emulator listens. */
const DOCUMENTED_URL = "http://127.0.0.1:7080";

/** The commands of a document's `sh` blocks below a heading, which is given as it is written. */
export function commandsBelow(file: string, heading: string): readonly string[] {
  const { text } = readDocument(file);
  const level = heading.indexOf(" ");
  // A comment in a block looks like a heading, so headings are looked for where the blocks are blank.
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, (block) => block.replaceAll(/[^\n]/g, " "));
  const start = prose.indexOf(`\n${heading}\n`);
  if (start === -1) throw new Error(`${file} has no heading "${heading}"`);
  const length = prose.slice(start + 1).search(new RegExp(`\\n#{1,${level}} `));
  const section = text.slice(start, length === -1 ? undefined : start + 1 + length);
  const blocks = fencesIn(section).filter(({ info }) => info[0] === "sh");
  return blocks.flatMap(({ code }) => commandsIn(code));
}

/** What each command came to. `directory` stands for /tmp. */
export async function pasteAll(
  shell: Shell,
  commands: readonly string[],
  { url, directory }: { readonly url: string; readonly directory: string },
): Promise<readonly Ran[]> {
  const results: Ran[] = [];
  for (const command of commands) {
    results.push(await shell.run(pointed(command, { url, directory })));
  }
  return results;
}

export function pointed(
  text: string,
  { url, directory }: { readonly url: string; readonly directory: string },
): string {
  return text.replaceAll(DOCUMENTED_URL, url).replaceAll("/tmp/", `${directory}/`);
}
