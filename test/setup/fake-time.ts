/** A clock for programs that a test can set forward under them: libfaketime, which they load before the C library. */
import fs from "node:fs";
import path from "node:path";
import { whatIsMissing } from "./debian-program.ts";

/** Why there is none here; undefined where there is. Under CI it is never missing. */
export const fakeTimeIsMissing: string | undefined = whatIsMissing("tests of a machine's sleep", [
  "libfaketime",
]);

/** The clocks that go on while a machine sleeps: all that Node reads on a Mac, the wall clock alone on Linux. */
export type ClocksInSleep = "all" | "wall";

export interface FakeTime {
  /** For the environment of the programs. */
  readonly env: Readonly<Record<string, string>>;
  /** Their clocks are that much ahead from now on. */
  setForward(seconds: number): void;
}

/** `directory` takes the file that says how far the clocks are ahead. */
export function fakeTimeIn(directory: string, clocks: ClocksInSleep): FakeTime {
  const [library = ""] = fs.globSync("/usr/lib/*/faketime/libfaketimeMT.so.1");
  const file = path.join(directory, "ahead");
  const setForward = (seconds: number) => {
    fs.writeFileSync(`${file}.new`, `+${seconds}\n`);
    fs.renameSync(`${file}.new`, file);
  };
  setForward(0);
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: "1",
      ...(clocks === "wall" && { FAKETIME_DONT_FAKE_MONOTONIC: "1" }),
    },
    setForward,
  };
}
