/** Programs that tests start end with the process of the test, however that ends. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { expect, test } from "vitest";
import { endingIsMissing } from "../../setup/ends-with-parent.ts";

const PARENT = path.resolve(import.meta.dirname, "../../fixtures/programs/starts-a-child.ts");

test.skipIf(endingIsMissing !== undefined)("a killed parent leaves no child behind", async () => {
  const parent = spawn(process.execPath, [PARENT], { stdio: ["ignore", "pipe", "inherit"] });
  const [printed] = (await once(parent.stdout, "data")) as [Buffer];
  expect(printed.toString()).toBe("runs\n");
  parent.kill("SIGKILL");
  // The child shares the output, which closes when both have ended.
  await once(parent, "close");
});
