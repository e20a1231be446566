/** One command for a running emulator: what it is done with, and how its answer is shown. */
import { printableJson } from "../../../runtime/protocol/printable.ts";
import type { Operation } from "./operate-flags.ts";
import type { ServiceClient } from "./service-client.ts";
import type { Terminal } from "./terminal.ts";

export interface OperationCall extends Pick<Operation, "subject" | "flags"> {
  readonly client: ServiceClient;
  readonly terminal: Terminal;
}

/** The answer as JSON where that is wanted, else as `text` has it. */
export function show({ flags, terminal }: OperationCall, value: unknown, text: () => string): void {
  terminal.out(flags.json === true ? `${printableJson(JSON.stringify(value))}\n` : text());
}
