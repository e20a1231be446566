/**
 * Damages data directories at random and reads them back. Each start is refused with a message, or every job reads
 * back correctly or is reported as damaged; after a repair the start works, and no data reads back wrong.
 * DAMAGE_PLAYS is the number of runs (default 12, in a full run 200); DAMAGE_SEED repeats the choices of an
 * earlier run.
 */
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { repairDataDirectory } from "../../../../emulator/store/sqlite/repair/repair.ts";
import { StoreUnusableError } from "../../../../emulator/core/store-error.ts";
import { SeededRandom } from "../../../e2e/crash/seeded-random.ts";
import { sized } from "../../../setup/size.ts";
import { temporaryDirectory } from "../../../setup/temporary-directory.ts";
import { harm, type Harmed } from "./harm.ts";
import { type KnownJob, writeLiveData } from "./live-data.ts";
import { readBack } from "./read-back.ts";

const PLAYS = Number(process.env["DAMAGE_PLAYS"] ?? sized(3, 200));
const SEED = Number(process.env["DAMAGE_SEED"] ?? Math.floor(Math.random() * 2 ** 32));

/** Outcomes by the kind of damage and its target. */
const outcomes = new Map<string, Record<string, number>>();

function count({ file, harm: kind }: Harmed, outcome: string): void {
  const row = outcomes.get(`${file} ${kind}`) ?? {};
  row[outcome] = (row[outcome] ?? 0) + 1;
  outcomes.set(`${file} ${kind}`, row);
}

/** Outcome of the damaged directory; silent damage is in the list. */
async function play(directory: string, known: readonly KnownJob[], harmed: Harmed) {
  try {
    const { silent, told } = await readBack(directory, known);
    count(harmed, silent.length > 0 ? "SILENT" : told > 0 ? "told" : "right");
    return { silent, mayBeRepaired: told > 0 };
  } catch (error) {
    if (!(error instanceof StoreUnusableError)) throw error;
    expect(error.message).toMatch(/sv-emulate repair|newer version|another program/);
    count(harmed, "refused");
    return { silent: [], mayBeRepaired: true };
  }
}

/** Wrong data after a repair. Jobs that could not be kept are missing and do not count. */
async function repairAndRead(directory: string, known: readonly KnownJob[]): Promise<string[]> {
  const { setAside } = repairDataDirectory(directory, Date.now());
  const { silent } = await readBack(directory, known);
  // The report says that jobs may be in an earlier state.
  if (setAside.some((sentence) => sentence.includes("commits are lost completely"))) return [];
  return silent.filter(
    (sentence) => !/there is no (job|endpoint)|is listed as undefined/.test(sentence),
  );
}

it(
  `no data of ${PLAYS} damaged data directories is read wrong without a report`,
  { timeout: 60_000 + PLAYS * 5_000 },
  async () => {
    console.log(`seed: ${SEED} (DAMAGE_SEED=${SEED} DAMAGE_PLAYS=${PLAYS} repeats it)`);
    using temporary = temporaryDirectory();
    const sets = await Promise.all(
      [{ rounds: 1 }, { rounds: sized(3, 8) }, { rounds: 2, isStopped: true }].map(
        async (size, number) => {
          const directory = path.join(temporary.path, `set-${number}`);
          return { directory, known: await writeLiveData(directory, size) };
        },
      ),
    );
    const wrong: string[] = [];
    for (let number = 0; number < PLAYS; number += 1) {
      const random = new SeededRandom(SEED + number);
      const { directory, known } = sets[number % sets.length] ?? { directory: "", known: [] };
      const damaged = path.join(temporary.path, `play-${number}`);
      fs.cpSync(directory, damaged, { recursive: true });
      const harmed = harm(damaged, random);
      const { silent, mayBeRepaired } = await play(damaged, known, harmed);
      const repaired = mayBeRepaired ? await repairAndRead(damaged, known) : [];
      for (const sentence of [...silent, ...repaired.map((text) => `after the repair: ${text}`)])
        wrong.push(`play ${number}, ${harmed.says}: ${sentence}`);
      fs.rmSync(damaged, { recursive: true });
    }
    console.log("figure: damaged directories", JSON.stringify(Object.fromEntries(outcomes)));
    expect(wrong).toEqual([]);
  },
);
