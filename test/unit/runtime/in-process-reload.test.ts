/** A worker whose handler is a function of its own process has nothing to load anew. */
import os from "node:os";
import { expect, test } from "vitest";
import { readModule } from "../../../runtime/handler/read-module.ts";
import { InProcessIsolate } from "../../../runtime/in-process/in-process-isolate.ts";
import { WorkerRun } from "./worker-run.ts";

test("a reload is answered with the version before, which serves on", async () => {
  const options = {
    handler: readModule({ default: () => "as before" }, "the test"),
    graceMs: 100,
    initLimitMs: 10_000,
    volumePath: undefined,
    tempRoot: os.tmpdir(),
    storageEnv: {},
  };
  await using run = new WorkerRun("echo", {
    openIsolate: (mask, events) => new InProcessIsolate(options, mask, events),
  });
  await run.source.whenReady.promise;
  const answered = run.source.hasReloaded(2);
  run.source.reload({ version: 2, modulePath: "/new.mjs", sourcePath: "/new.ts" });
  await answered;
  expect(run.log.filter(({ level }) => level === "error").map(({ msg }) => msg)).toEqual([
    "A handler that is a function of this process cannot be reloaded.\nThe version before serves on.",
  ]);
  expect(await run.source.submit().result()).toEqual({ kind: "completed", output: "as before" });
});
