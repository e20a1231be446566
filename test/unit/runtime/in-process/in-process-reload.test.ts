/** A worker with a function of its own process as handler has nothing to reload. */
import { expect, test } from "vitest";
import { inThisProcess, WorkerRun } from "../worker-run.ts";

test("a reload returns the previous version, which continues to serve", async () => {
  await using run = new WorkerRun(
    "echo",
    inThisProcess(() => "as before"),
  );
  await run.source.whenReady.promise;
  const answered = run.source.hasReloaded(2);
  run.source.reload({ version: 2, modulePath: "/new.mjs", sourcePath: "/new.ts" });
  await answered;
  expect(run.log.filter(({ level }) => level === "error").map(({ msg }) => msg)).toEqual([
    "A handler that is a function of this process cannot be reloaded.\nThe previous version stays in service.",
  ]);
  expect(await run.source.submit().result()).toEqual({ kind: "completed", output: "as before" });
});
