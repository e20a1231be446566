/** The install scripts of the workspace's own packages: which of them run in the image's build, and what they read. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { shellWord } from "../shell-word.ts";
import { SENTENCE } from "../engine/build-progress.ts";
import { type Lock, MANIFEST, SCRIPTS_RAN } from "./lock-file.ts";

/** Scripts that package managers run at an installation. */
const EVENTS = new Set([
  ...["preinstall", "install", "postinstall", "prepublish"],
  ...["preprepare", "prepare", "postprepare"],
]);

/** File of the packages' stage with the sentences about failed scripts. */
export const REASONS = "/tmp/sv-reasons";

/** Well-known programs that read no modules of the project: a changed module does not repeat the installation. */
const READS_NO_CODE =
  /^(?:(?:npx|pnpm|pnpm exec|yarn) )?(?:patch-package|prisma generate|husky|husky install)(?: --?\w[\w-]*(?:[ =][\w./-]+)?)*$/u;

type Scripts = Readonly<Record<string, string>>;

/** The package of the lock file, the worker's, and each one with a module in the bundle. */
export function usedMembers(lock: Lock, inputPaths: readonly string[]): readonly string[] {
  const isUsed = (member: string): boolean => {
    const folder = path.join(lock.root, member) + path.sep;
    return inputPaths.some((input) => input.startsWith(folder));
  };
  return lock.members.filter((member) => member === "" || member === lock.member || isUsed(member));
}

/** Install scripts of a package; empty for one without any. */
export function installScripts(lock: Lock, member: string): Scripts {
  const { scripts = {} } = manifestOf(lock, member);
  return Object.fromEntries(Object.entries(scripts).filter(([event]) => EVENTS.has(event)));
}

export function readsCode(scripts: Scripts): boolean {
  return Object.values(scripts).some((script) => !READS_NO_CODE.test(script.trim()));
}

/** The package.json for the installation. Its install scripts tell which of them fails; those of other packages do not run. */
export function manifestFor(lock: Lock, member: string, runsScripts: boolean): string {
  const { scripts = {}, ...manifest } = manifestOf(lock, member);
  if (!runsScripts) return JSON.stringify(manifest);
  const place = path.posix.join(member, MANIFEST);
  const told = Object.entries(scripts).map(([event, script]): readonly [string, string] => {
    const sentence = `${SENTENCE}the script "${event}" of ${place} fails in the image, where all files of the directory are except for those that are left out of images: ${script}`;
    const tell = `(echo ${shellWord(sentence)} >> ${REASONS}; exit 1)`;
    const ran = `sh -c 'test -n "$${SCRIPTS_RAN}"'`;
    return [event, EVENTS.has(event) ? `${ran} || (${script}) || ${tell}` : script];
  });
  const wrapped: Scripts = Object.fromEntries(told);
  return JSON.stringify({ ...manifest, scripts: wrapped });
}

function manifestOf({ root }: Lock, member: string): { readonly scripts?: Scripts } {
  const text = readFileSync(path.join(root, member, MANIFEST), "utf8");
  return JSON.parse(text) as { readonly scripts?: Scripts };
}
