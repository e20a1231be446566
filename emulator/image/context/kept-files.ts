/** Lists the files of a directory that go into an image: all except those that .dockerignore excludes, and secrets. */
import { lstat, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import dockerignore, { type Ignore } from "@balena/dockerignore";
import { isPrivateKey, NOT_FOR_IMAGES, SECRETS } from "./left-out.ts";

/** Files, links and directories, as relative paths with forward slashes. */
export interface KeptFiles {
  readonly paths: ReadonlySet<string>;
  readonly sizeBytes: number;
  /** Sizes of the files among them. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Secrets that .dockerignore does not mention. */
  readonly secrets: readonly string[];
}

/** All files except those that the directory's .dockerignore excludes, as `docker build` takes them. */
export async function keptFiles(directory: string): Promise<KeptFiles> {
  const own = await ownPatterns(directory);
  return walked(directory, {
    own,
    isOut: ignoring(own),
    isSecret: () => false,
    looksForKeys: false,
  });
}

/**
 * The files of a generated image. Patterns with `!` in .dockerignore include a file that is left out by default. In installed
 * packages nothing is left out but caches.
 *
 * @param more further patterns to leave out
 */
export async function imageFiles(
  directory: string,
  more: readonly string[] = [],
): Promise<KeptFiles> {
  const own = await ownPatterns(directory);
  const inPackages = ignoring(["**/node_modules/.cache", ...more, ...own]);
  const elsewhere = ignoring([...SECRETS, ...NOT_FOR_IMAGES, ...more, ...own]);
  const isOut: Test = (place) => (isPackaged(place) ? inPackages : elsewhere)(place);
  const isOwn = ignoring(own);
  const hasSecretName = ignoring(SECRETS);
  const isSecret: Test = (place) => hasSecretName(place) && !isOwn(place) && !isPackaged(place);
  return walked(directory, { own, isOut, isSecret, looksForKeys: true });
}

type Test = (place: string) => boolean;

function ignoring(patterns: readonly string[]): Test {
  const ignore: Ignore = dockerignore.default({ ignorecase: false }).add([...patterns]);
  return (place) => ignore.ignores(place);
}

const isPackaged: Test = (place) => place.includes("node_modules/");

async function ownPatterns(directory: string): Promise<readonly string[]> {
  const text = await readFile(path.join(directory, ".dockerignore"), "utf8").catch(() => "");
  return text.split(/\r?\n/u);
}

interface Rules {
  readonly own: readonly string[];
  readonly isOut: Test;
  readonly isSecret: Test;
  /** Whether files with a private key are left out by their content. */
  readonly looksForKeys: boolean;
}

async function walked(directory: string, rules: Rules): Promise<KeptFiles> {
  const walk = new Walk(directory, rules);
  await walk.into("");
  return walk;
}

class Walk implements KeptFiles {
  readonly paths = new Set<string>();
  readonly sizes = new Map<string, number>();
  readonly secrets: string[] = [];
  sizeBytes = 0;
  readonly #directory: string;
  readonly #rules: Rules;
  /** Whether a pattern can keep a file in an excluded directory. */
  readonly #intoIgnored: boolean;
  readonly #isTakenBack: Test;

  constructor(directory: string, rules: Rules) {
    this.#directory = directory;
    this.#rules = rules;
    const takingBack = rules.own.filter((pattern) => pattern.trimStart().startsWith("!"));
    this.#intoIgnored = takingBack.length > 0;
    const others = ignoring(["**", ...takingBack]);
    this.#isTakenBack = (place) => !others(place);
  }

  async into(folder: string): Promise<void> {
    const entries = await readdir(path.join(this.#directory, folder), { withFileTypes: true });
    for (const entry of entries) {
      const place = folder === "" ? entry.name : `${folder}/${entry.name}`;
      const isOut = this.#rules.isOut(place);
      if (isOut && this.#rules.isSecret(place)) this.secrets.push(place);
      if (!isOut) await this.#keep(place, entry.isFile());
      if (entry.isDirectory() && (!isOut || this.#intoIgnored)) await this.into(place);
    }
  }

  async #keep(place: string, isFile: boolean): Promise<void> {
    if (isFile) {
      const file = path.join(this.#directory, place);
      const { size } = await lstat(file);
      const mayBeKey = this.#rules.looksForKeys && !isPackaged(place) && !this.#isTakenBack(place);
      if (mayBeKey && (await isPrivateKey(file, size))) {
        this.secrets.push(place);
        return;
      }
      this.sizes.set(place, size);
      this.sizeBytes += size;
    }
    for (let above = place; above !== "."; above = path.posix.dirname(above)) this.paths.add(above);
  }
}
