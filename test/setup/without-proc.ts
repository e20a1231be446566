/**
 * Runs a command with an empty directory for /proc, as on systems without it: `node test/setup/without-proc.ts npm
 * test`. This needs root on Linux. /proc is kept at another path for the tests themselves, and for the foreign
 * programs named here, which run with it.
 */
import fs from "node:fs";
import path from "node:path";
import { isWithoutProc, KEPT_PROC } from "./proc.ts";

/** Programs that do not work without /proc, by their names. */
const BY_NAME = ["dockerd", "ip", "iptables", "nsenter", "pgrep", "ps", "strace", "unshare"];

const root = path.resolve(import.meta.dirname, "../..");
const folder = path.join(root, "node_modules/.cache/sv-runtime/without-proc");
const machine = `${process.platform}-${process.arch}`;

/**
 * Programs started by an absolute path that need /proc: the browser, the binaries behind the scripts of TypeScript and the
 * linter, which ask for their own path.
 */
const NEED_PROC = [
  "/usr/bin/chromium",
  path.join(root, `node_modules/@typescript/typescript-${machine}/lib/tsc`),
  path.join(root, `node_modules/@oxlint-tsgolint/${machine}/tsgolint`),
];

/** Command that runs another one in such a place; it has the process id of the started process. */
export const withoutProc: readonly string[] = [process.execPath, import.meta.filename];

/**
 * Prefix of the command of a program that needs it. A mount of an earlier namespace cannot be used, so another one
 * is created.
 */
const WITH_PROC = `exec /usr/bin/unshare --mount /bin/sh -c 'mount --bind ${KEPT_PROC} /proc && exec "$0" "$@"'`;

/** A wrapper for a program: it restores the program beside its files, and runs it. */
const AT_ITS_PATH = `exec /usr/bin/unshare --mount /bin/sh -c 'mount --bind ${KEPT_PROC} /proc && mount --bind "$real" "$0" && exec "$0" "$@"'`;

/**
 * Script instead of a program that is called by its path; the real one is `$real`. Node finds its own path by
 * /proc, and otherwise by its name: called by its whole path, it knows it as on other systems.
 */
const BY_PATH: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    NEED_PROC.map((file) => [file, `export real\n${AT_ITS_PATH} ${file} "$@"`]),
  ),
  [process.execPath]: 'exec "$real" "$@"',
};

/** Creates the place in a namespace for mounts, then runs the command. */
const ENTER = `mkdir -p ${KEPT_PROC} &&
mount --bind /proc ${KEPT_PROC} &&
mount -t tmpfs -o ro,mode=0555 none /proc &&
for file in ${Object.keys(BY_PATH).join(" ")}; do
  [ ! -e "$file" ] || { mount --bind "$file" "$0/real$file" && mount --bind "$0/by-path$file" "$file"; } || exit
done &&
exec "$@"`;

function writeWrappers(): void {
  for (const name of BY_NAME) {
    // Programs that it starts have the real ones.
    const real = `PATH=$(printf %s "$PATH" | sed 's|${folder}/by-name:||g')\n`;
    write(path.join(folder, "by-name", name), `#!/bin/sh\n${real}${WITH_PROC} ${name} "$@"\n`);
  }
  for (const [file, command] of Object.entries(BY_PATH)) {
    const real = path.join(folder, "real", file);
    write(real, "");
    write(path.join(folder, "by-path", file), `#!/bin/sh\nreal=${real}\n${command}\n`);
  }
}

/** Replaces it once and atomically: another process may be running it, or have mounted something there. */
function write(file: string, text: string): void {
  if (fs.existsSync(file) && fs.readFileSync(file, "utf8") === text) return;
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(`${file}.${process.pid}`, text, { mode: 0o755 });
  fs.renameSync(`${file}.${process.pid}`, file);
}

if (import.meta.main) {
  const command = process.argv.slice(2);
  if (command.length === 0 || process.execve === undefined || process.getuid?.() !== 0) {
    console.error("Usage, as root on Linux: node test/setup/without-proc.ts <command> [arguments]");
    process.exit(2);
  }
  if (!isWithoutProc) writeWrappers();
  const env = { ...process.env, PATH: `${folder}/by-name:${process.env["PATH"] ?? ""}` };
  const [program, ...args] = isWithoutProc
    ? ["/usr/bin/env", ...command]
    : ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", ENTER, folder, ...command];
  process.execve(program, [program, ...args], env);
}
