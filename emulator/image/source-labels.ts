/** The labels that say which source an image was built from, if that is in a Git repository. */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";

const SOURCE = "org.opencontainers.image.source";
const REVISION = "org.opencontainers.image.revision";

type Labels = Readonly<Record<string, string>>;

/** Empty instead of absent: those of the image beneath would be taken for this one's. */
export const NO_SOURCE: Labels = { [SOURCE]: "", [REVISION]: "" };

export async function sourceLabels(directory: string): Promise<Labels> {
  const [remote, commit, changes] = await Promise.all([
    git(directory, "config", "--get", "remote.origin.url"),
    git(directory, "rev-parse", "--verify", "--quiet", "HEAD"),
    git(directory, "status", "--porcelain", "--untracked-files=no", "--", "."),
  ]);
  const revision = commit && changes !== "" ? `${commit}-dirty` : commit;
  return { [SOURCE]: webAddress(remote ?? ""), [REVISION]: revision ?? "" };
}

/** Whether a repository begins in the directory. */
export async function isRepository(directory: string): Promise<boolean> {
  const top = await git(directory, "rev-parse", "--show-toplevel");
  return top !== undefined && path.resolve(top) === path.resolve(directory);
}

/** Undefined where git fails, or is not there. */
async function git(cwd: string, ...args: readonly string[]): Promise<string | undefined> {
  return promisify(execFile)("git", args, { cwd }).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
}

/** Empty for what no reader could open: a directory of this machine, say. A password in it is nobody's business. */
export function webAddress(remote: string): string {
  const [, host, place] = /^(?:ssh:\/\/)?[^@/]+@([^:/]+)(?::\d+\/|[:/])(.+)$/u.exec(remote) ?? [];
  const address = place === undefined ? remote : `https://${host}/${place}`;
  if (!/^https?:/u.test(address)) return "";
  return address.replace(/^(https?:\/\/)[^@/]*@/u, "$1").replace(/\.git$/u, "");
}
