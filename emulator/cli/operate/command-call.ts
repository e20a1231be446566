/** The call of a command for a running emulator: its arguments, its client, and the way its answer is shown. */
import { printableJson } from "../../../runtime/protocol/printable.ts";
import { type Paint, painter } from "../terminal-text.ts";
import type { GivenCommand } from "./commands.ts";
import type { ServiceClient } from "./service-client.ts";
import { type Columns, type Facts, factsText, tableText } from "./table.ts";
import type { Terminal } from "./terminal.ts";

export interface CommandCall extends Pick<GivenCommand, "subject" | "input" | "flags"> {
  readonly client: ServiceClient;
  readonly terminal: Terminal;
}

/** Writes `value` as JSON with `--json`, else as the text. */
export function show(
  { flags, terminal }: CommandCall,
  value: unknown,
  text: (paint: Paint) => string,
): void {
  terminal.out(
    flags.json === true
      ? `${printableJson(JSON.stringify(value))}\n`
      : text(painter(terminal.colors)),
  );
}

export function showTable<Row>(
  call: CommandCall,
  rows: readonly Row[],
  columns: Columns<Row>,
): void {
  show(call, rows, (paint) => tableText(paint, rows, columns));
}

export function showFacts(call: CommandCall, value: unknown, facts: Facts): void {
  show(call, value, (paint) => factsText(paint, facts));
}
