/** Writes the figures of a run into files: JSON for programs, Markdown for people. */
import fs from "node:fs";
import path from "node:path";
import type { RowResult } from "./line.ts";
import { type Machine, machineLine } from "./machine.ts";
import type { Options } from "./options.ts";
import { markdownTable, number } from "./table.ts";

export interface Report {
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly tookMs: number;
  readonly options: Options;
  readonly machine: Machine;
  readonly rows: readonly RowResult[];
}

/** Writes `<date>.json` and `<date>.md`. Returns their paths. */
export function writeReport(folder: string, report: Report): readonly string[] {
  fs.mkdirSync(folder, { recursive: true });
  const name = report.startedAt.slice(0, 19).replaceAll(":", "-");
  const contents: Readonly<Record<string, string>> = {
    json: `${JSON.stringify(report, undefined, 2)}\n`,
    md: markdown(report),
  };
  return Object.entries(contents).map(([ending, text]) => {
    const file = path.join(folder, `${name}.${ending}`);
    fs.writeFileSync(file, text);
    return file;
  });
}

function markdown(report: Report): string {
  const took = `${number(report.tookMs / 1000)} s${report.options.quick ? ", quick" : ""}`;
  const head = `# Benchmark of ${report.startedAt} (${took})\n\n${machineLine(report.machine)}`;
  return `${head}\n\n${markdownTable(report.rows)}\n`;
}
