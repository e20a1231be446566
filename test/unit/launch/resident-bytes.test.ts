/** The memory of a process with what it started. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { residentBytes } from "../../../emulator/launch/processes/resident-bytes.ts";

const HOLD = "const held = Buffer.alloc(60_000_000, 1); setInterval(() => held, 1_000);";
const PARENT = `const { spawn } = require("node:child_process");
spawn(process.execPath, ["-e", ${JSON.stringify(`${HOLD} console.log("here")`)}], { stdio: "inherit" });
process.stdin.resume(); process.stdin.on("end", () => process.exit());`;

async function withChild(code: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["-e", code], {
    stdio: ["pipe", "pipe", "inherit"],
    detached: true,
  });
  await once(child.stdout, "data");
  return child;
}

it.runIf(process.platform === "linux")(
  "counts its descendants, and is not known of one that has ended",
  async () => {
    const child = await withChild(PARENT);
    const pid = child.pid ?? 0;
    try {
      expect(residentBytes(pid)).toBeGreaterThan(60_000_000 + 2 * 20_000_000);
    } finally {
      process.kill(-pid, "SIGKILL");
    }
    await once(child, "exit");
    expect(residentBytes(pid)).toBeUndefined();
  },
);
