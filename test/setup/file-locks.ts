/** Locks on a file, by which processes exclude each other from a database. */
import fs from "node:fs";
import { PROC } from "./proc.ts";

/** A line for each lock that a process has on the file. */
export function locksOf(file: string): string[] {
  const { ino } = fs.statSync(file);
  const locks = fs.readFileSync(`${PROC}/locks`, "utf8").split("\n");
  return locks.filter((line) => line.includes(`:${ino} `));
}
