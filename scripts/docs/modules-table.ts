/** The table of what a handler's modules may do, from the cases that run in every place where a handler runs. */
import { MODULE_CASES } from "../../test/contract/modules/cases.ts";
import { markdownTable } from "./table.ts";

export function modulesTable(): string {
  const rows = Object.entries(MODULE_CASES).flatMap(([about, cases]) =>
    cases.map(({ what, refused }) => [about, what, refused === undefined ? "works" : "refused"]),
  );
  return markdownTable(["About", "In a module", "Result"], rows);
}
