/** Tables of errors: codes of error answers, and types of failed jobs. */
import { ERROR_CODES } from "../../emulator/core/service-error.ts";
import { FAILURE_TYPES } from "../../runtime/protocol/failure.ts";
import { readCommented } from "./comments.ts";
import { markdownTable } from "./table.ts";

export function errorCodesTable(): string {
  const rows = Object.entries(ERROR_CODES).map(([code, { status, when }]) => [
    `\`${code}\``,
    String(status),
    when,
  ]);
  return markdownTable(["Code", "HTTP", "When"], rows);
}

/** @throws Error if a failure type has no item in the comment on the types */
export function failureTypesTable(): string {
  const source = readCommented("runtime/protocol/failure.ts");
  const [list] = source.program.body;
  const items = list === undefined ? [] : source.commentBefore(list.start);
  const rows = FAILURE_TYPES.map((type) => {
    const begin = `- \`${type}\`: `;
    const item = items.find((candidate) => candidate.startsWith(begin));
    if (item === undefined) throw new Error(`the failure type ${type} has no description`);
    return [`\`${type}\``, capitalised(item.slice(begin.length))];
  });
  return markdownTable(["Type", "What went wrong"], rows);
}

function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
