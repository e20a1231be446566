/** Draws state machines from their tables: as Mermaid diagrams, and as tables of all their rows. */
import { TRANSITION_ROWS } from "../../emulator/core/jobs/transition-table.ts";
import { WORKER_ROWS } from "../../emulator/core/workers/worker-transition-table.ts";

interface Row {
  readonly from: string | readonly string[];
  readonly event: string;
  readonly when?: { readonly says: string };
  readonly to: string;
  readonly says: string;
  readonly source: string;
}

/** The diagram of a job's life. */
export function jobDiagram(): string {
  return diagram(TRANSITION_ROWS);
}

/** The table of all rows of a job's life. */
export function jobRows(): string {
  return table(TRANSITION_ROWS);
}

/** The diagram of a worker's life. */
export function workerDiagram(): string {
  return diagram(WORKER_ROWS);
}

/** The table of all rows of a worker's life. */
export function workerRows(): string {
  return table(WORKER_ROWS);
}

/** One arrow from state to state for all that leads there. Rows that change no state are not in it. */
function diagram(rows: readonly Row[]): string {
  const moves = rows.flatMap(({ from, ...row }) =>
    [from].flat().map((state) => ({ ...row, state })),
  );
  const arrows = Map.groupBy(
    moves.filter(({ state, to }) => to !== state && to !== "unchanged"),
    ({ state, to }) => `${node(state)} --> ${node(to)}`,
  );
  const lines = [...arrows].map(([arrow, ways]) => `    ${arrow}: ${labels(ways).join(", ")}`);
  return ["```mermaid", "stateDiagram-v2", ...lines, "```"].join("\n");
}

/** A condition is not worth a word where the event leads there without it too. */
function labels(ways: readonly Pick<Row, "event" | "when">[]): readonly string[] {
  const always = ways.filter(({ when }) => !when).map(({ event }) => event);
  const words = ways.map(({ event, when }) =>
    when && !always.includes(event) ? `${event} [${when.says}]` : event,
  );
  return [...new Set(words)];
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ from, event, when, to, says, source }) =>
      `| ${[from].flat().join(", ")} | ${event} | ${when?.says ?? ""} | ${to} | ${says} | ${source} |`,
  );
  const heads = ["| From | Event | When | To | Meaning | Source |", "|---|---|---|---|---|---|"];
  return [...heads, ...lines].join("\n");
}

function node(state: string): string {
  return ["none", "deleted", "gone"].includes(state) ? "[*]" : state;
}
