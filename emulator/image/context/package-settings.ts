/** The settings of package managers for an installation: what is secret in them gets into no image. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { shellWord } from "../shell-word.ts";
import type { Secrets } from "../engine/buildkit-session.ts";
import type { ContextFile } from "./build-context.ts";

/** Settings of npm, pnpm and yarn beside a lock file, which may have tokens. */
const SETTINGS = [".npmrc", ".yarnrc", ".yarnrc.yml"];

/** Id of `--secret` for the settings of npm's user. */
const USER_SETTINGS = "npmrc";
const USER_SETTINGS_PLACE = '"$HOME/.npmrc"';

/** A line that may have a secret: a token, a password, a key, a variable, or a URL with a password. */
const SECRET_LINE = /_auth|token|ident|passw|secret|\bkey\b|\bcert\b|\$\{|:\/\/[^/\s]*@/iu;

export interface SecretMount {
  readonly id: string;
  /** The file's absolute path in the image, as a word of a shell. */
  readonly target: string;
}

export interface PackageSettings {
  /** The files in the build context, at their places in the image. */
  readonly files: readonly ContextFile[];
  readonly secrets: Secrets;
  /** The mounts of secrets during the installation. */
  readonly mounts: readonly SecretMount[];
  /** Whether the files in the context have secrets, because the builder cannot mount any. */
  readonly filesHaveSecrets: boolean;
}

export interface SettingsTerms {
  /** Directory of the lock file. */
  readonly root: string;
  /** Absolute path of that directory in the image. */
  readonly place: string;
  /** Secrets of `--secret`: by their ids they are also variables of the settings. */
  readonly given: Secrets;
  readonly env: NodeJS.ProcessEnv;
  readonly canMount: boolean;
}

/** With BuildKit the context has the lines without secrets, so that other changes repeat the installation; the whole files are mounted. */
export function packageSettings(terms: SettingsTerms): PackageSettings {
  const { root, place, given, canMount } = terms;
  const found = SETTINGS.filter((name) => existsSync(path.join(root, name))).map((name) => {
    const text = readFileSync(path.join(root, name), "utf8");
    const lines = text.split("\n");
    const open = lines.filter((line) => !SECRET_LINE.test(line)).join("\n");
    return { name, open, whole: withVariables(text, terms), isSecret: open !== text };
  });
  const mounted = canMount ? found.filter(({ isSecret }) => isSecret) : [];
  const user = given.get(USER_SETTINGS);
  return {
    files: found.map(({ name, open, whole }) => ({
      path: path.posix.join(place, name),
      content: canMount ? open : whole,
    })),
    secrets: new Map([
      ...mounted.map(({ name, whole }) => [idOf(name), Buffer.from(whole)] as const),
      ...(user === undefined ? [] : [[USER_SETTINGS, user] as const]),
    ]),
    mounts: [
      ...mounted.map(({ name }) => ({
        id: idOf(name),
        target: shellWord(path.posix.join(place, name)),
      })),
      ...(user === undefined ? [] : [{ id: USER_SETTINGS, target: USER_SETTINGS_PLACE }]),
    ],
    filesHaveSecrets: !canMount && found.some(({ isSecret }) => isSecret),
  };
}

const idOf = (name: string): string => `sv${name}`;

/** Replaces `${NAME}` by its value. A variable without one stays, and the package manager says so. */
function withVariables(text: string, { given, env }: SettingsTerms): string {
  return text.replaceAll(/(?<!\\)\$\{(\w+)(?:[?]|:?-[^}]*)?\}/gu, (written, name: string) => {
    const secret = given.get(name);
    return (secret && Buffer.from(secret).toString().trimEnd()) ?? env[name] ?? written;
  });
}
