/** Draws the job's state machine from its table as a Mermaid diagram; ARCHITECTURE.md holds the drawing between two markers. */
import { readFileSync, writeFileSync } from "node:fs";
import { TRANSITION_ROWS } from "../emulator/core/job-table.ts";

const BEGIN = "<!-- state diagram: begin (npm run docs) -->";
const END = "<!-- state diagram: end -->";

/** The diagram and, below it, the table of all rows; rows that change no status are in the table only. */
export function drawStateMachine(): string {
  const moves = TRANSITION_ROWS.filter((row) => row.to !== row.from && row.to !== "unchanged");
  const lines = moves.map((row) => {
    const condition = row.when ? ` [${row.when.says}]` : "";
    return `    ${node(row.from)} --> ${node(row.to)}: ${row.event}${condition}`;
  });
  const rows = TRANSITION_ROWS.map(
    (row) =>
      `| ${row.from} | ${row.event} | ${row.when?.says ?? ""} | ${row.to} | ${row.says} | ${row.source} |`,
  );
  return [
    "```mermaid",
    "stateDiagram-v2",
    ...lines,
    "```",
    "",
    "| From | Event | When | To | Meaning | Source |",
    "|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

/** The document with a fresh drawing between its markers. @throws Error when the markers are missing */
export function withStateMachine(document: string): string {
  const begin = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (begin === -1 || end === -1) throw new Error("the markers of the state diagram are missing");
  return `${document.slice(0, begin + BEGIN.length)}\n\n${drawStateMachine()}\n\n${document.slice(end)}`;
}

function node(status: string): string {
  return status === "none" || status === "deleted" ? "[*]" : status;
}

if (import.meta.main) {
  const file = new URL("../ARCHITECTURE.md", import.meta.url);
  writeFileSync(file, withStateMachine(readFileSync(file, "utf8")));
}
