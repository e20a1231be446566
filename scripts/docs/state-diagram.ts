/** Draws the job's state machine from its table as a Mermaid diagram, alone or with all its rows below it. */
import { TRANSITION_ROWS } from "../../emulator/core/jobs/transition-table.ts";

/** The diagram. Rows that change no status are not in it. */
export function drawStateDiagram(): string {
  const moves = TRANSITION_ROWS.filter((row) => row.to !== row.from && row.to !== "unchanged");
  const lines = moves.map((row) => {
    const condition = row.when ? ` [${row.when.says}]` : "";
    return `    ${node(row.from)} --> ${node(row.to)}: ${row.event}${condition}`;
  });
  return ["```mermaid", "stateDiagram-v2", ...lines, "```"].join("\n");
}

/** The diagram and, below it, the table of all rows. */
export function drawStateMachine(): string {
  const rows = TRANSITION_ROWS.map(
    (row) =>
      `| ${row.from} | ${row.event} | ${row.when?.says ?? ""} | ${row.to} | ${row.says} | ${row.source} |`,
  );
  return [
    drawStateDiagram(),
    "",
    "| From | Event | When | To | Meaning | Source |",
    "|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

function node(status: string): string {
  return status === "none" || status === "deleted" ? "[*]" : status;
}
