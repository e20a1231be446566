/** Formats sizes, times and instructions of a build. */
import { printable } from "../../../../runtime/protocol/printable.ts";

const UNITS = ["B", "kB", "MB", "GB"] as const;

/** A size with three digits: `512 B`, `3.42 kB`, `142 MB`. */
export function size(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  const value = bytes / 1_000 ** power;
  const digits = power === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)} ${UNITS[power]}`;
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

/** Text on one line with a maximum of `characters`. A step of a Dockerfile may be a whole program, and its output coloured. */
export function shortened(text: string, characters: number): string {
  const line = printable(text, false).replaceAll(/\s+/gu, " ").trim();
  return line.length > characters ? `${line.slice(0, Math.max(0, characters - 1))}…` : line;
}
