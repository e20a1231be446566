/** Row: operations per second of the store in a PostgreSQL database on this machine, and in a data directory. */
import path from "node:path";
import { type Bench, interleave, newFolder } from "../bench.ts";
import { type Line, lineOf } from "../line.ts";
import { startPostgresServer } from "../peers/postgres-server.ts";
import { StoreProgram } from "../store-program.ts";
import type { Row } from "./row.ts";

const PER_SECOND = 1_000_000;
/** Number of jobs in one commit, and number of measured jobs. */
const DEPTHS = [
  { perCommit: 1, jobs: 300 },
  { perCommit: 50, jobs: 4_000 },
  { perCommit: 500, jobs: 10_000 },
] as const;

async function measure(bench: Bench): Promise<readonly Line[]> {
  await using server = await startPostgresServer(bench);
  await using ours = new StoreProgram();
  await ours.openDatabase(await server.database("ours"));
  await using beside = new StoreProgram();
  await beside.open(path.join(newFolder(bench, "directory"), "data"));
  const lines: Line[] = [];
  for (const { perCommit, jobs } of DEPTHS) {
    const rate = async (store: StoreProgram) =>
      PER_SECOND / (await store.cycleMicros("endpoint", bench.quick ? jobs / 5 : jobs, perCommit));
    const measured = await interleave(bench, bench.rounds, {
      database: () => rate(ours),
      directory: () => rate(beside),
    });
    lines.push(
      lineOf({
        what: `jobs inserted, handed over and finished through the store alone, ${perCommit} per commit`,
        unit: "jobs/s",
        ours: measured.database,
        beside: "SQLite",
        others: measured.directory,
        notes: [
          "a job is five rows written, itself three times and two payloads, in three commits for all jobs of a commit",
        ],
      }),
    );
  }
  return lines;
}

export const database: Row = {
  id: "database",
  title: "The store in PostgreSQL, beside SQLite",
  measure,
};
