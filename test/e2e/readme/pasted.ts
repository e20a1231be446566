/** Shell commands of the documents, with the address of a test's emulator, run in order. */
import { readDocument, shellBelow } from "../../unit/docs/documents.ts";
import { commandsIn, type Ran, type Shell } from "./shell.ts";

/** Address of the emulator in the documents. */
const DOCUMENTED_URL = "http://127.0.0.1:7080";

/** The commands of a document's `sh` blocks below a heading. @throws as `shellBelow` */
export function commandsBelow(file: string, heading: string): readonly string[] {
  return shellBelow(readDocument(file), heading).flatMap(commandsIn);
}

/** Output of each command. `directory` stands for /tmp. */
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
