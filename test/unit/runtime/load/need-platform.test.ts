/** Both programs and both start functions refuse Windows with a message that says what to do. */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "../../../..");
const AS_ON_WINDOWS = `data:text/javascript,Object.defineProperty(process,"platform",{value:"win32"})`;

function onWindows(...args: string[]) {
  return promisify(execFile)(process.execPath, ["--import", AS_ON_WINDOWS, ...args], { cwd: root });
}

test.each([
  ["emulator/cli/sv-emulate.ts", "sv-emulate"],
  ["runtime/bin/sv-worker.ts", "sv-worker"],
])("%s exits at once on Windows", async (file, program) => {
  await expect(onWindows(file, "--version")).rejects.toMatchObject({
    code: 1,
    stdout: "",
    stderr: `error: ${program} does not run on Windows itself: install WSL 2 (wsl --install), and run it there with a Node of that Linux\n`,
  });
});

test.each([
  ["startEmulator", "./emulator/emulator.ts", "startEmulator()"],
  ["startWorker", "./runtime/index.ts", `startWorker("nowhere.ts")`],
])("%s throws on Windows", async (_, module, call) => {
  const code = `
    const module = await import(${JSON.stringify(module)});
    const begun = async () => module.${call};
    await begun().catch((error) => console.log(error.message));
    process.exit(0);`;
  const { stdout } = await onWindows("--input-type=module", "--eval", code);
  expect(stdout).toMatch(/does not run on Windows itself: install WSL 2/u);
});
