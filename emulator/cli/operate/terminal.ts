/** The terminal of the commands for a running emulator, and how it shows values. */
import { printable } from "../../../runtime/protocol/printable.ts";
import type { Style } from "../terminal-text.ts";

export interface Terminal {
  readonly out: (text: string) => void;
  /** Writes what is no result, to stderr. */
  readonly tell: (text: string) => void;
  /** All of standard input. */
  readonly read: () => Promise<string>;
  readonly colors: boolean;
  /** Asks a person a question. Undefined where there is no person. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined;
  /** Aborts on Ctrl-C, and when the reader of the output has gone. */
  readonly signal: AbortSignal;
}

/** Colours of statuses of jobs, outcomes of attempts and states of deliveries. */
export const STYLES: Readonly<Record<string, Style>> = {
  IN_QUEUE: "dim",
  IN_PROGRESS: "cyan",
  COMPLETED: "green",
  FAILED: "red",
  TIMED_OUT: "red",
  CANCELLED: "yellow",
  running: "cyan",
  completed: "green",
  failed: "red",
  crashed: "red",
  "out of memory": "red",
  "timed out": "red",
  lost: "red",
  damaged: "red",
  pending: "cyan",
  delivered: "green",
};

/** An instant to the second, in UTC: `2026-01-01 00:00:00`. */
export function instantInWords(iso = ""): string {
  return iso.replace("T", " ").replace(/\.\d+Z$/u, "");
}

/** Text of others without control characters. */
export function plain(text: string): string {
  return printable(text, false);
}
