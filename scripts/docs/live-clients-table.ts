/** The table of calls of the live service's clients, as tests play them. */
import { writtenPath } from "../../emulator/http/schemas/path-parameters.ts";
import type { Operation } from "../../emulator/http/operation/operation.ts";
import { OPERATIONS } from "../../emulator/http/operations.ts";
import { REST_V2_OPERATIONS } from "../../emulator/http/management/rest-v2-operations.ts";
import { type Play, PLAYS } from "../../test/unit/live-clients/plays.ts";
import { markdownTable } from "./table.ts";

/** The interfaces that clients call. */
export const INTERFACES = [
  "jobs",
  "first version of REST",
  "second version of REST",
  "GraphQL",
] as const;
type Interface = (typeof INTERFACES)[number];

const MARKS = { run: "●", played: "○" } as const;

/** A call in the form of a row. */
interface Row {
  readonly name: string;
  readonly shown: string;
}

/** A column for each client, and a row for each call of that interface that a client makes. */
export function liveClientsTable(of: Interface): string {
  const plays: readonly Play[] = Object.values(PLAYS);
  const all = plays.flatMap((play) =>
    play.versions.map((version) => ({ ...play, column: `${play.client} ${version}` })),
  );
  const rows = rowsOf(of, plays).filter(({ name }) =>
    plays.some(({ calls }) => calls.includes(name)),
  );
  const names = new Set(rows.map(({ name }) => name));
  const calling = all.filter(({ calls }) => calls.some((call) => names.has(call)));
  const columns = [...new Set(calling.map(({ column }) => column))];
  return markdownTable(
    ["Calls", ...columns],
    rows.map(({ name, shown }) => [
      shown,
      ...columns.map((column) => {
        const play = calling.find((each) => each.column === column && each.calls.includes(name));
        return play ? MARKS[play.how] : "";
      }),
    ]),
  );
}

function rowsOf(of: Interface, plays: readonly Play[]): readonly Row[] {
  switch (of) {
    case "jobs":
      return operationRows(OPERATIONS, "/v2/");
    case "first version of REST":
      return operationRows(OPERATIONS, "/v1/");
    case "second version of REST":
      return operationRows(REST_V2_OPERATIONS, "/v2/");
    case "GraphQL": {
      const fields = plays
        .flatMap(({ calls }) => calls)
        .filter((call) => call.startsWith("graphql."));
      return [...new Set(fields)].toSorted().map((name) => {
        return { name, shown: `\`${name.replace("graphql.", "")}\`` };
      });
    }
  }
}

function operationRows(
  operations: Readonly<Record<string, Operation>>,
  prefix: string,
): readonly Row[] {
  return Object.entries(operations)
    .filter(([, { path }]) => path.startsWith(prefix))
    .map(
      ([
        name,
        {
          methods: [method = ""],
          path,
        },
      ]) => {
        return { name, shown: `\`${method} ${writtenPath(path)}\`` };
      },
    );
}
