/** The end of a process costs only the job that ended it. */
import { describe, expect, test } from "vitest";
import {
  attributeExit,
  exitFailure,
} from "../../../../../runtime/isolate/ending/attribute-exit.ts";

describe("the exit of a process", () => {
  test("loses the job that called process.exit, and hands back the others", () => {
    expect(attributeExit({ exitCode: 7, exitedBy: 2 }, [1, 2, 3])).toEqual({
      lost: [2],
      handedBack: [1, 3],
      isUnclear: false,
    });
  });

  test("loses a job that is alone in its process, whatever ended it", () => {
    expect(attributeExit({ signal: "SIGKILL" }, [4])).toEqual({
      lost: [4],
      handedBack: [],
      isUnclear: false,
    });
  });

  test("hands back several jobs without a culprit as unclear", () => {
    expect(attributeExit({ signal: "SIGSEGV" }, [1, 2])).toEqual({
      lost: [],
      handedBack: [1, 2],
      isUnclear: true,
    });
  });

  test("blames no job when the culprit's job is over", () => {
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

test("is described in the failure report", () => {
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
