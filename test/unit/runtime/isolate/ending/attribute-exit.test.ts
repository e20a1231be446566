/** The end of a process costs only the job that ended it. */
import { describe, expect, test } from "vitest";
import {
  attributeExit,
  exitFailure,
} from "../../../../../runtime/isolate/ending/attribute-exit.ts";

describe("attributing the exit of a process", () => {
  test("the job that called process.exit is lost, its neighbours are handed back", () => {
    expect(attributeExit({ exitCode: 7, exitedBy: 2 }, [1, 2, 3])).toEqual({
      lost: [2],
      handedBack: [1, 3],
      isUnclear: false,
    });
  });

  test("a job alone in its process is lost, whoever ended it", () => {
    expect(attributeExit({ signal: "SIGKILL" }, [4])).toEqual({
      lost: [4],
      handedBack: [],
      isUnclear: false,
    });
  });

  test("several jobs and no culprit: all are handed back, and it is unclear", () => {
    expect(attributeExit({ signal: "SIGSEGV" }, [1, 2])).toEqual({
      lost: [],
      handedBack: [1, 2],
      isUnclear: true,
    });
  });

  test("a culprit whose job is over already leaves nobody to blame", () => {
    expect(attributeExit({ exitCode: 0, exitedBy: 9 }, [1, 2])).toEqual({
      lost: [],
      handedBack: [1, 2],
      isUnclear: false,
    });
    expect(attributeExit({ exitCode: 0 }, [])).toEqual({
      lost: [],
      handedBack: [],
      isUnclear: false,
    });
  });
});

test("a failure report says how the process ended", () => {
  expect(exitFailure({ signal: "SIGABRT", outOfMemory: true }, ["FATAL ERROR"])).toEqual({
    type: "process_exited",
    message: "The handler process ran out of memory while it worked on the job.",
    signal: "SIGABRT",
    outOfMemory: true,
    lastLogLines: ["FATAL ERROR"],
  });
  expect(exitFailure({ exitCode: 3 }, [])).toEqual({
    type: "process_exited",
    message: "The handler process exited with code 3 while it worked on the job.",
    exitCode: 3,
  });
});
