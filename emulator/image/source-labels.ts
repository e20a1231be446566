/** The labels that name the source of an image, if it is in a Git repository. */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";

const SOURCE = "org.opencontainers.image.source";
const REVISION = "org.opencontainers.image.revision";

type Labels = Readonly<Record<string, string>>;

/** Empty labels, which replace those of the parent image. */
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

/** Time of images without a time of their own: some programs know none before 1980. */
export const FIRST_EPOCH = Date.UTC(1980, 0) / 1_000;

/** Time of an image of the directory, in seconds since 1970: SOURCE_DATE_EPOCH, or that of the commit; equal files have an equal one. */
export async function sourceEpoch(directory: string): Promise<number> {
  const given = process.env["SOURCE_DATE_EPOCH"];
  const text = given ?? (await git(directory, "log", "-1", "--format=%ct", "HEAD"));
  return /^\d+$/u.test(text ?? "") ? Number(text) : FIRST_EPOCH;
}

/** Whether the directory is the root of a repository. */
export async function isRepository(directory: string): Promise<boolean> {
  const top = await git(directory, "rev-parse", "--show-toplevel");
  return top !== undefined && path.resolve(top) === path.resolve(directory);
}

/** Output of git; undefined if git fails or is missing. */
async function git(cwd: string, ...args: readonly string[]): Promise<string | undefined> {
  return promisify(execFile)("git", args, { cwd }).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
}

/** The URL of a remote without its password; empty for a remote without a URL, such as a directory of this machine. */
export function webAddress(remote: string): string {
  const [, host, place] = /^(?:ssh:\/\/)?[^@/]+@([^:/]+)(?::\d+\/|[:/])(.+)$/u.exec(remote) ?? [];
  const address = place === undefined ? remote : `https://${host}/${place}`;
  if (!/^https?:/u.test(address)) return "";
  return address.replace(/^(https?:\/\/)[^@/]*@/u, "$1").replace(/\.git$/u, "");
}
