/** Text for a terminal: its colours, if the terminal shows them, and its first line. */
import { styleText } from "node:util";

export type Style = Parameters<typeof styleText>[0];

export type Paint = (style: Style, text: string) => string;

export function painter(colors: boolean): Paint {
  return (style, text) => (colors ? styleText(style, text, { validateStream: false }) : text);
}

export function firstLine(text = ""): string {
  return text.split("\n", 1)[0] ?? "";
}
