/** Finds the programs that a piece of shell code starts, with the shell. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { temporaryDirectory } from "../setup/temporary-directory.ts";

/** With an empty PATH every program is missing; each is recorded, and counts as successful. */
const NOTING = `
  command_not_found_handle() { printf '%s\\n' "$1" >> "$NOTES"; }
  cd() { :; }; exec() { "$@"; }; exit() { :; }; kill() { :; }; source() { :; }
  PATH=/nowhere
`;

/**
 * Notes the programs that code calls, without running any. Only the shell runs; its output goes to a directory of its own.
 * @param origin where the code comes from, for messages
 * @param folder the directory that the code names, with files that it reads
 * @throws Error with the shell's message for code that cannot be followed to its end
 */
export function typedPrograms(code: string, origin: string, folder?: string): readonly string[] {
  using temporary = temporaryDirectory();
  const at = (name: string): string => path.join(temporary.path, name);
  for (const made of ["cwd", "home", "tmp"]) fs.mkdirSync(at(made));
  for (const name of folder === undefined ? [] : fs.readdirSync(folder)) {
    fs.symlinkSync(path.resolve(folder ?? "", name), path.join(at("cwd"), name));
  }
  fs.writeFileSync(at("notes"), "");
  const script = `${NOTING}${code.replaceAll("/tmp/", `${at("tmp")}/`)}`;
  const { stderr } = spawnSync("bash", ["--noprofile", "--norc", "-c", script, origin], {
    cwd: at("cwd"),
    env: { PATH: process.env["PATH"], HOME: at("home"), NOTES: at("notes") },
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
  });
  if (stderr !== "") throw new Error(stderr);
  const notes = fs.readFileSync(at("notes"), "utf8");
  return [...new Set(notes.split("\n").filter((name) => name !== ""))];
}
