/** The starters of projects, and their files in this package. */
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

/** The starters, each with a short description. */
export const STARTERS = {
  hello: "takes a job and returns an answer",
  "stream-tokens": "streams tokens, as language models do",
  "image-to-s3": "makes and uploads an image, and returns its address",
  "openai-chat": "answers clients of the OpenAI API",
  "load-balanced": "an HTTP server of your own, without a queue",
} as const;

export type StarterName = keyof typeof STARTERS;

// The object has exactly these keys.
export const STARTER_NAMES = Object.keys(STARTERS) as StarterName[];

/** Files in `templates/` for every project, unless its starter has a file of the same name. */
const IN_EACH = "every-starter";

/** npm leaves files of this name out of a package, so the file has another name there. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: ".gitignore" };

/** The texts of a starter's files by their names in a project, which has no folders. */
export type StarterTexts = ReadonlyMap<string, string>;

/** @param packageRoot directory of this package */
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
