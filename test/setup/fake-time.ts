/**
 * A clock for programs that a test can set, and that may run at another speed: libfaketime, loaded before the C
 * library.
 */
import fs from "node:fs";
import path from "node:path";
import { whatIsMissing } from "./debian-program.ts";

/** Reason that there is none here; undefined if there is. Under CI it is never missing. */
export const fakeTimeIsMissing: string | undefined = whatIsMissing("tests of a machine's sleep", [
  "libfaketime",
]);

/** Clocks that continue while a machine sleeps: all that Node reads on a Mac, only the wall clock on Linux. */
export type ClocksInSleep = "all" | "wall";

export interface FakeTime {
  /** Variables of the programs. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets their clocks ahead by this much from now on, or behind if it is negative. */
  setForward(seconds: number): void;
}

/** Clocks of a machine that drift, and leap when a test tells them to. */
export interface LeapingClock extends FakeTime {
  /** Clocks that leap; a monotonic clock never goes back. */
  readonly clocks: ClocksInSleep;
}

/**
 * `directory` gets the file with the clocks' lead.
 * @param speed speed of the clocks
 */
export function fakeTimeIn(directory: string, clocks: ClocksInSleep, speed = 1): LeapingClock {
  const [library = ""] = fs.globSync("/usr/lib/*/faketime/libfaketimeMT.so.1");
  const file = path.join(directory, "ahead");
  const setForward = (seconds: number) => {
    const ahead = `${seconds < 0 ? "" : "+"}${seconds}`;
    fs.writeFileSync(`${file}.new`, speed === 1 ? `${ahead}\n` : `${ahead} x${speed}\n`);
    fs.renameSync(`${file}.new`, file);
  };
  setForward(0);
  return {
    clocks,
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: "1",
      ...(clocks === "wall" && { FAKETIME_DONT_FAKE_MONOTONIC: "1" }),
    },
    setForward,
  };
}
