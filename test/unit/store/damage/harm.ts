/** Damages one random file of a data directory. */
import fs from "node:fs";
import path from "node:path";
import type { SeededRandom } from "../../../e2e/crash/seeded-random.ts";

export const HARMS = ["bit", "run", "hole", "cut", "removed"] as const;
export type Harm = (typeof HARMS)[number];

export interface Harmed {
  readonly harm: Harm;
  /** The kind of file: its name, or `payload`. */
  readonly file: string;
  /** Text for the message of a failure. */
  readonly says: string;
}

/** Each existing kind of file is equally likely. */
export function harm(directory: string, random: SeededRandom): Harmed {
  const payloads = fs.readdirSync(path.join(directory, "payloads"));
  const kinds = fs.readdirSync(directory, { withFileTypes: true }).map((entry) => entry.name);
  const file = pick(random, kinds);
  const name = file === "payloads" ? path.join(file, pick(random, payloads)) : file;
  const kind = pick(random, HARMS);
  const place = apply(path.join(directory, name), kind, random);
  return { harm: kind, file, says: `${name}: ${kind} ${place}` };
}

function pick<T>(random: SeededRandom, from: readonly T[]): T {
  const found = from[random.integer(0, from.length - 1)];
  if (found === undefined) throw new Error("there is nothing to choose from");
  return found;
}

function apply(file: string, kind: Harm, random: SeededRandom): string {
  const { size } = fs.statSync(file);
  if (kind === "removed" || size === 0) {
    fs.rmSync(file);
    return "";
  }
  if (kind === "cut") {
    const left = random.integer(0, 4) === 0 ? 0 : random.integer(0, size - 1);
    fs.truncateSync(file, left);
    return `to ${left} of ${size}`;
  }
  const bytes = fs.readFileSync(file);
  const at = random.integer(0, size - 1);
  if (kind === "bit") bytes[at] = (bytes[at] ?? 0) ^ (1 << random.integer(0, 7));
  const length = { bit: 0, run: random.integer(2, 64), hole: 512 }[kind];
  for (let index = at; index < Math.min(size, at + length); index += 1)
    bytes[index] = kind === "hole" ? 0 : random.integer(0, 255);
  fs.writeFileSync(file, bytes);
  return `at ${at} of ${size}, ${length} bytes`;
}
