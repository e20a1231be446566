/** A data directory that goes away under a running emulator, and a disk that fails: told at once, and never acknowledged. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";
import { straceIsMissing } from "../../setup/strace.ts";
import { eventually } from "./observe.ts";
import { Stage } from "./stage.ts";

const REFUSED = { status: 507, code: "storage_failed" };

async function setScene() {
  const directory = temporaryDirectory();
  const dataDir = path.join(directory.path, "data");
  const stage = await Stage.set({ endpoints: { echo: { handler: "echo.ts" } }, dataDir });
  const submit = () => stage.endpoint("echo").run({ n: 1 });
  return {
    dataDir,
    stage,
    submit,
    /** Resolves when a submission is refused; answers for how long they were not, ms. */
    async refusal(): Promise<number> {
      const startedAt = performance.now();
      const refused = () =>
        submit().then(
          () => undefined,
          (error: unknown) => error,
        );
      expect(await eventually("a submission is refused", refused)).toMatchObject(REFUSED);
      return performance.now() - startedAt;
    },
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      directory[Symbol.dispose]();
    },
  };
}

test("once the data directory is removed nothing is acknowledged after a second, and reads go on", async () => {
  await using scene = await setScene();
  const { id } = await scene.submit();
  await scene.stage.endpoint("echo").wait(id);
  fs.rmSync(scene.dataDir, { recursive: true });
  expect(await scene.refusal()).toBeLessThan(1_000);
  await scene.stage.emulator.stderrMatch(/store\.db is not there any more: nothing is stored/);
  expect(await scene.stage.endpoint("echo").status(id)).toMatchObject({ status: "COMPLETED" });
});

test("a data directory that comes back is used again", async () => {
  await using scene = await setScene();
  const { id } = await scene.submit();
  fs.renameSync(scene.dataDir, `${scene.dataDir}-elsewhere`);
  await scene.refusal();
  fs.renameSync(`${scene.dataDir}-elsewhere`, scene.dataDir);
  await scene.stage.emulator.stderrMatch(/the data directory is back/);
  const next = await scene.submit();
  for (const each of [id, next.id]) {
    expect(await scene.stage.endpoint("echo").wait(each)).toMatchObject({ status: "COMPLETED" });
  }
});

test.skipIf(straceIsMissing)("a sync that fails is answered 507 storage_failed", async () => {
  await using scene = await setScene();
  const { pid } = scene.stage.emulator.child;
  const what = ["-o", "/dev/null", "-e", "inject=fsync,fdatasync:error=EIO"];
  const strace = spawn("strace", ["-f", "-p", String(pid), ...what], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  await once(strace.stderr, "data");
  await scene.refusal();
  await scene.stage.emulator.stderrMatch(/what was to be stored could not be/);
  strace.kill("SIGINT");
  await once(strace, "exit");
  const { id } = await scene.submit();
  expect(await scene.stage.endpoint("echo").wait(id)).toMatchObject({ status: "COMPLETED" });
});
