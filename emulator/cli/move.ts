/** The commands `move` and `rotate-secret-key`: their flags, their help, and their output. */
import fs from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { shownAddress } from "../core/store-address.ts";
import { shellWord } from "../image/shell-word.ts";
import { SECRET_KEY_FILE } from "../core/resources/secrets/sealed-secret.ts";
import { shownPath } from "./given-path.ts";
import { DEFAULT_DATA_DIR, type Environment } from "./serve/setting-values.ts";
import { given, type Reader } from "./serve/setting-source.ts";
import { objectsIn, secretKeyIn, storeIn } from "./serve/store-settings.ts";
import { UsageError } from "./usage-error.ts";

/** The flags of `move` as written; one that was not given is absent. */
export interface MoveFlags {
  readonly from?: string;
  readonly to?: string;
  readonly objects?: string;
}

export interface RotateFlags {
  readonly store?: string;
  readonly objects?: string;
}

/** Jobs between two lines of progress. */
const TELL_EVERY = 10_000;

/** @param taken called when the command was given */
export function addMoveCommand(program: Command, taken: (flags: MoveFlags) => void): void {
  program
    .command("move")
    .summary("move a data directory into a PostgreSQL database")
    .description(
      "Copies the jobs, deliveries and records of a data directory into an empty database, and changes nothing in the directory. No emulator may use either meanwhile. After an interruption, run it again to continue.",
    )
    .option("--from <directory>", `the data directory (default: ${DEFAULT_DATA_DIR})`)
    .option("--to <address>", "the database, as --store of a start (default: SV_STORE)")
    .option(
      "--objects <address>",
      "a bucket for large payloads, as --objects of a start (default: SV_OBJECTS, else the database)",
    )
    .action(taken);
}

/** @param taken called when the command was given */
export function addRotateCommand(program: Command, taken: (flags: RotateFlags) => void): void {
  program
    .command("rotate-secret-key")
    .summary("change the key that the secrets of a database are encrypted with")
    .description(
      "Encrypts all secrets of a PostgreSQL database with the key in SV_NEW_SECRET_KEY instead of that in SV_SECRET_KEY. No emulator may use the database meanwhile. Start emulators with the new key from then on.",
    )
    .option("--store <address>", "the database (default: SV_STORE)")
    .option("--objects <address>", "its bucket, if it has one (default: SV_OBJECTS)")
    .action(taken);
}

/**
 * Returns the text to print.
 *
 * @param tell called with lines of progress and warnings
 * @throws UsageError, and the errors of `moveDataDirectory`
 */
export async function move(
  flags: MoveFlags,
  cwd: string,
  env: Environment,
  tell: (line: string) => void,
): Promise<string> {
  const dataDir = resolve(cwd, flags.from ?? DEFAULT_DATA_DIR);
  const store = needed("--to", flags.to, "SV_STORE", env, storeIn);
  const objects = bucketOf(flags, env);
  const { moveDataDirectory } = await import("../index.ts");
  let told = 0;
  const { jobs, deliveries, reports, records } = await moveDataDirectory({
    dataDir,
    store,
    ...objects,
    warn: tell,
    progress(copied) {
      if (copied < told + TELL_EVERY) return;
      told = copied;
      tell(`copied so far: ${copied} jobs`);
    },
  });
  return [
    `moved: ${jobs} jobs, ${deliveries} webhook deliveries, ${reports} reports, ${records} records`,
    ...nextSteps({ ...flags, from: dataDir }, cwd, env),
    "",
  ].join("\n");
}

/** Complete commands without passwords. Values of the environment are not repeated. */
function nextSteps({ from = "", to, objects }: MoveFlags, cwd: string, env: Environment): string[] {
  const shown = shownPath(from, cwd);
  const start = ["sv-emulate", "--data-dir", shown];
  if (to !== undefined) start.push("--store", shownAddress(to));
  if (objects !== undefined) start.push("--objects", shownAddress(objects));
  const command = `  ${start.map(shellWord).join(" ")}`;
  if (fs.existsSync(join(from, SECRET_KEY_FILE)) || env["SV_SECRET_KEY"] !== undefined)
    return [
      `nothing was changed in ${shown}; its objects, volumes and ${SECRET_KEY_FILE} stay there; continue with`,
      command,
    ];
  return [
    `nothing was changed in ${shown}; its objects and volumes stay there`,
    "every start on a database needs the same key for its secrets: set SV_SECRET_KEY to the key of earlier starts; if there was none, make one, keep it, and continue with",
    '  export SV_SECRET_KEY="$(openssl rand -base64 32)"',
    command,
  ];
}

/** Returns the text to print. @throws UsageError, and the errors of `rotateSecretKey` */
export async function rotate(flags: RotateFlags, env: Environment): Promise<string> {
  const store = needed("--store", flags.store, "SV_STORE", env, storeIn);
  const secretKey = needed(undefined, undefined, "SV_SECRET_KEY", env, secretKeyIn);
  const newSecretKey = needed(undefined, undefined, "SV_NEW_SECRET_KEY", env, secretKeyIn);
  const { rotateSecretKey } = await import("../index.ts");
  const keys = { secretKey, newSecretKey };
  const count = await rotateSecretKey({ store, ...bucketOf(flags, env), ...keys });
  const done =
    count === undefined
      ? "nothing to do: the secrets are encrypted with the new key already"
      : `encrypted anew: ${count} ${count === 1 ? "secret" : "secrets"}`;
  return `${done}\nfrom now on start with SV_SECRET_KEY set to the new key\n`;
}

function bucketOf(flags: { readonly objects?: string }, env: Environment) {
  const objects = said("--objects", flags.objects, "SV_OBJECTS", env, objectsIn);
  return objects === undefined ? {} : { objects };
}

function said(
  flag: string,
  text: string | undefined,
  variable: string,
  env: Environment,
  reader: Reader<string>,
): string | undefined {
  return (given(flag, text, reader) ?? given(variable, env[variable], reader))?.value;
}

function needed(
  flag: string | undefined,
  text: string | undefined,
  variable: string,
  env: Environment,
  reader: Reader<string>,
): string {
  const value = said(flag ?? variable, text, variable, env, reader);
  if (value !== undefined) return value;
  throw new UsageError(
    flag === undefined ? `${variable} is not set` : `give ${flag}, or set ${variable}`,
  );
}
