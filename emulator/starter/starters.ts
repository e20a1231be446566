/** The starters that a project of one's own can be begun with, and their files as they come with this package. */
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

/** What each shows, in a few words. */
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

/** Files in `templates/` for every project, unless its starter has a file of the same name. */
const IN_EACH = "every-starter";

/** npm takes no file of this name into a package, so it travels under another. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: ".gitignore" };

/** The texts of a starter's files by their names in a project, which has no folders. */
export type StarterTexts = ReadonlyMap<string, string>;

/** @param packageRoot where this package lies */
export async function readStarters(
  packageRoot: string,
): Promise<ReadonlyMap<StarterName, StarterTexts>> {
  const templates = path.join(packageRoot, "templates");
  const inEach = await textsIn(path.join(templates, IN_EACH));
  const own = STARTER_NAMES.map(async (name) => {
    const texts = await textsIn(path.join(templates, name));
    return [name, new Map([...inEach, ...texts])] as const;
  });
  return new Map(await Promise.all(own));
}

async function textsIn(directory: string): Promise<StarterTexts> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const texts = names.map(async (name) => {
    const text = await readFile(path.join(directory, name), "utf8");
    return [RENAMED[name] ?? name, text] as const;
  });
  return new Map(await Promise.all(texts));
}
