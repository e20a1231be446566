/** A data directory of a killed process: its log is not in the database yet. */
import fs from "node:fs";
import path from "node:path";
import type { Job } from "../../../../emulator/core/jobs/job.ts";
import { openSqliteStore } from "../../../../emulator/store/sqlite/sqlite-store.ts";
import { inserted, Owner, pattern, put, stageOne } from "../../../contract/store/subject.ts";
import { temporaryDirectory } from "../../../setup/temporary-directory.ts";

export interface LeftBehind extends Disposable {
  readonly directory: string;
  readonly jobs: readonly Job[];
  readonly file: (...names: readonly string[]) => string;
  /** The names of the payload files. */
  readonly payloads: () => string[];
}

/** Some waiting jobs, each in its own batch; every fifth has an input in a file. */
export async function leftBehind(count = 30): Promise<LeftBehind> {
  const temporary = temporaryDirectory();
  const live = path.join(temporary.path, "live");
  const directory = path.join(temporary.path, "left");
  const store = await openSqliteStore({ directory: live });
  const owner = await Owner.of(store);
  const jobs: Job[] = [];
  for (let at = 0; at < count; at += 1) {
    const job = owner.newJob();
    const input = await stageOne(store, pattern(at % 5 === 4 ? 300_000 : 200));
    await owner.flush([inserted(job)], [put(job, "input", input)]);
    jobs.push(job);
  }
  // Waits until no work is running: a kill now leaves the present files.
  fs.cpSync(live, directory, { recursive: true });
  await store.close();
  const file = (...names: readonly string[]) => path.join(directory, ...names);
  return {
    directory,
    jobs,
    file,
    payloads: () => fs.readdirSync(file("payloads")),
    [Symbol.dispose]: () => temporary[Symbol.dispose](),
  };
}

/** Flips the bytes from `at` on. */
export function change(file: string, at: number, count: number): void {
  const bytes = fs.readFileSync(file);
  for (let index = at; index < at + count; index += 1) bytes[index] = (bytes[index] ?? 0) ^ 0xff;
  fs.writeFileSync(file, bytes);
}
