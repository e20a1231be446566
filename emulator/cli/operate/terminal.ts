/** The terminal that the commands for a running emulator write to, and how it shows values. */
import { styleText } from "node:util";
import { printable } from "../../../runtime/protocol/printable.ts";

export interface Terminal {
  readonly out: (text: string) => void;
  readonly colors: boolean;
  /** Asks a person; undefined where nobody is there to answer. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined;
  /** Aborts when it is broken off, or when nobody reads what is written. */
  readonly signal: AbortSignal;
}

type Style = Parameters<typeof styleText>[0];

export type Paint = (style: Style, text: string) => string;

export function painter({ colors }: Pick<Terminal, "colors">): Paint {
  return (style, text) => (colors ? styleText(style, text, { validateStream: false }) : text);
}

const STATUS_STYLES: Readonly<Record<string, Style>> = {
  IN_QUEUE: "dim",
  IN_PROGRESS: "cyan",
  COMPLETED: "green",
  FAILED: "red",
  TIMED_OUT: "red",
  CANCELLED: "yellow",
};

export function statusInColor(paint: Paint, status: string): string {
  const style = STATUS_STYLES[status];
  return style === undefined ? plain(status) : paint(style, status);
}

/** An instant without what is the same for all: `2026-01-01 00:00:00`, UTC. */
export function instantInWords(iso: string | undefined): string {
  return iso === undefined
    ? ""
    : plain(iso)
        .replace("T", " ")
        .replace(/\.\d+Z$/u, "");
}

/** What others wrote, as it may be shown. */
export function plain(text: string): string {
  return printable(text, false);
}

export function firstLine(text: string): string {
  return plain(text.split("\n", 1)[0] ?? "");
}
