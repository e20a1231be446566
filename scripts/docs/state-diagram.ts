/** Draws state machines from their tables: as Mermaid diagrams, and as tables of all their rows. */
import { TRANSITION_ROWS } from "../../emulator/core/jobs/transition-table.ts";
import { ACTIVE, WORKER_ROWS } from "../../emulator/core/workers/worker-transition-table.ts";

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
  return diagram(WORKER_ROWS, ACTIVE);
}

/** The table of all rows of a worker's life. */
export function workerRows(): string {
  return table(WORKER_ROWS);
}

interface Move extends Row {
  readonly state: string;
}

/**
 * One arrow for all events between two states. Rows without a change of state are left out. Transitions out of every `active`
 * state are drawn once, from a frame around them.
 */
function diagram(rows: readonly Row[], active: readonly string[] = []): string {
  const moves = rows
    .flatMap((row) => [row.from].flat().map((state): Move => ({ ...row, state })))
    .filter(({ state, to }) => to !== state && to !== "unchanged");
  const isInside = (move: Move) => active.includes(move.state) && active.includes(move.to);
  const ofAll = ({ event, when, to }: Move) =>
    active.length > 0 &&
    active.every((state) =>
      moves.some(
        (one) => one.state === state && one.event === event && one.when === when && one.to === to,
      ),
    );
  const outside = moves
    .filter((move) => !isInside(move))
    .map((move) =>
      active.includes(move.state) && ofAll(move) ? { ...move, state: "active" } : move,
    );
  const frame = [
    "    state active {",
    ...arrows(moves.filter(isInside)).map((line) => `    ${line}`),
    "    }",
  ];
  const lines = [...(active.length > 0 ? frame : []), ...arrows(outside)];
  return ["```mermaid", "stateDiagram-v2", ...lines, "```"].join("\n");
}

function arrows(moves: readonly Move[]): readonly string[] {
  const ways = Map.groupBy(moves, ({ state, to }) => `${node(state)} --> ${node(to)}`);
  return [...ways].map(([arrow, those]) => `    ${arrow}: ${labels(those).join(", ")}`);
}

/** Omits a condition if the event also leads there without it. */
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

/** Mermaid does not allow hyphens in names of states. */
function node(state: string): string {
  return ["none", "deleted", "gone"].includes(state) ? "[*]" : state.replaceAll("-", "_");
}
