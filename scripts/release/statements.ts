/** What the files of the project say of a release: its version, and what has changed. Pure. */

/** Places that state the version, each with the expression that finds it. The first one decides. */
const PLACES: readonly (readonly [file: string, version: RegExp])[] = [
  ["package.json", /^ {2}"version": "([^"]+)"/mu],
  ["package-lock.json", /^ {2}"version": "([^"]+)"/mu],
  ["templates/helm/Chart.yaml", /^version: (\S+)$/mu],
  ["templates/helm/Chart.yaml", /^appVersion: (\S+)$/mu],
  ["Dockerfile.base", /org\.opencontainers\.image\.version="([^"]+)"/u],
];

export interface StatedVersion {
  readonly file: string;
  readonly version: string;
}

/**
 * @param read the text of a file of the project
 * @throws Error with the file that states none, or with all that state another version than package.json
 */
export function statedVersion(read: (file: string) => string): string {
  const stated = PLACES.map(([file, pattern]): StatedVersion => {
    const [, version] = pattern.exec(read(file)) ?? [];
    if (version === undefined) throw new Error(`${file} states no version`);
    return { file, version };
  });
  const own = stated[0]?.version ?? "";
  const others = stated.filter(({ version }) => version !== own);
  if (others.length === 0) return own;
  const list = others.map(({ file, version }) => `${file} has ${version}`).join(", ");
  throw new Error(`package.json has the version ${own}, but ${list}`);
}

/**
 * The section of a changelog on a version, without its heading.
 *
 * @param mayBeUnreleased whether the section `[Unreleased]` will do if the version has none
 * @throws Error if there is no such section, or an empty one
 */
export function changesOf(changelog: string, version: string, mayBeUnreleased: boolean): string {
  const sections = changelog.split(/^## /mu).slice(1);
  const sectionOf = (name: string) => sections.find((section) => section.startsWith(`[${name}]`));
  const section = sectionOf(version) ?? (mayBeUnreleased ? sectionOf("Unreleased") : undefined);
  if (section === undefined)
    throw new Error(`CHANGELOG.md has no section [${version}]: rename [Unreleased], and date it`);
  const changes = section.slice(section.indexOf("\n")).trim();
  if (changes === "") throw new Error(`CHANGELOG.md says nothing about ${version}`);
  return `${changes}\n`;
}
