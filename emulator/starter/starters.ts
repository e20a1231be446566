/** The starters that a project of one's own can be begun with, and their files as they come with this package. */
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

/** What each shows, in a few words. The first one is taken unless another is asked for. */
export const STARTERS = {
  hello: "a job comes in, an answer goes out",
  "stream-tokens": "a stream of tokens, as language models give it",
  "image-to-s3": "an image is made and uploaded, its address is the answer",
  "openai-chat": "clients of the OpenAI API call it",
  "load-balanced": "an HTTP server of your own, without a queue",
} as const;

export type StarterName = keyof typeof STARTERS;

// The keys are exactly these.
export const STARTER_NAMES = Object.keys(STARTERS) as StarterName[];

/** Beside them in `templates/`: what every project gets, unless its starter has a file of the same name. */
const EVERY_STARTER = "every-starter";

/** npm takes no file of this name into a package, so it travels under another. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: ".gitignore" };

/** The texts of a starter's files by their names in a project, which has no folders. */
export async function readStarter(
  packageRoot: string,
  name: StarterName,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const folder of [EVERY_STARTER, name]) {
    const directory = path.join(packageRoot, "templates", folder);
    for (const entry of await readdir(directory, { withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const text = await readFile(path.join(directory, entry.name), "utf8");
      texts.set(RENAMED[entry.name] ?? entry.name, text);
    }
  }
  return texts;
}
