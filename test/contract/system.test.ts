/** Both adapters of the port to the operating system, and the gaps of `ps`. */
import fs from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { LinuxSystem } from "../../runtime/system/linux.ts";
import { PosixSystem } from "../../runtime/system/posix.ts";
import { whatIsMissing } from "../setup/debian-program.ts";
import { temporaryTree } from "../temporary-tree.ts";
import { describeSystem, started } from "./system.contract.ts";

const missing = whatIsMissing("tests of what ps tells", ["ps"]);
const hasProc = fs.existsSync("/proc/self/stat");

if (hasProc) describeSystem("/proc", () => new LinuxSystem());
if (missing === undefined) describeSystem("ps", () => new PosixSystem());

/** Puts a program named `ps` before all others; in it, `ps` is the real one. */
async function withPs(script: string) {
  const tree = await temporaryTree({});
  const text = `#!/bin/sh\nexport PATH="\${PATH#*:}"\n${script}\n`;
  await fs.promises.writeFile(tree.path("ps"), text, { mode: 0o755 });
  vi.stubEnv("PATH", `${tree.root}:${process.env["PATH"] ?? ""}`);
  return {
    system: new PosixSystem(),
    async [Symbol.asyncDispose]() {
      vi.unstubAllEnvs();
      await tree[Symbol.asyncDispose]();
    },
  };
}

/** A `ps` that shows nothing after the command. */
const HIDES_ENVIRONMENTS = `shift; exec ps -A "$@"`;

describe.skipIf(missing !== undefined)("with ps only", () => {
  test.runIf(hasProc)("resident memory matches the value from /proc", async () => {
    await using child = await started("exec node -e 'console.log(1); setInterval(() => {}, 1e3)'");
    const [linux = 0, posix = 0] = [new LinuxSystem(), new PosixSystem()].map((each) =>
      each.residentBytes(child.pid),
    );
    expect(Math.abs(posix - linux) / linux).toBeLessThan(0.1);
  });

  test("the macOS flags of ps are tried first, and kept if ps understands them", async () => {
    // The ps of Linux does not understand them.
    await using asked = await withPs(`[ "$1" = -axEww ] || exit 1; shift; exec ps axeww "$@"`);
    await using child = await started("echo; exec sleep 600", { SV_TEST_MARK: "as-on-macos" });
    expect(asked.system.marked("SV_TEST_MARK=as-on-macos")).toEqual([child.pid]);
    expect(asked.system.marked("SV_TEST_MARK=as-on-macos")).toEqual([child.pid]);
  });

  test("a marked process's child is found even if its own environment is not shown", async () => {
    await using child = await started("env -i sleep 600 >/dev/null & echo $!; wait", {
      SV_TEST_MARK: "empties",
    });
    const found = new PosixSystem().marked("SV_TEST_MARK=empties");
    expect(new Set(found)).toEqual(new Set([child.pid, Number(child.said)]));
  });

  test("without visible environments, only the descendants of our own child are found", async () => {
    await using asked = await withPs(HIDES_ENVIRONMENTS);
    const child = await started("setsid sleep 600 >/dev/null & echo $!; wait");
    const orphan = Number(child.said);
    expect(asked.system.marked("SV_TEST_MARK=hidden")).toEqual([]);
    const found = asked.system.marked("SV_TEST_MARK=hidden", child.pid);
    expect(found).toEqual(expect.arrayContaining([child.pid, orphan]));
    await child[Symbol.asyncDispose]();
    // Its process id may have been reused.
    expect(asked.system.marked("SV_TEST_MARK=hidden", child.pid)).toEqual([]);
    process.kill(orphan, "SIGKILL");
  });

  test("this process can be the root, and the ps that it ran is not found", async () => {
    await using asked = await withPs(HIDES_ENVIRONMENTS);
    await using child = await started("echo; exec sleep 600");
    const found = asked.system.marked("SV_TEST_MARK=own", process.pid);
    expect(found).toEqual(expect.arrayContaining([process.pid, child.pid]));
    expect(
      found.every((pid) => pid === process.pid || asked.system.startOf(pid) !== undefined),
    ).toBe(true);
  });

  test("missing abilities are listed, with their consequences", async () => {
    const [memory = ""] = new PosixSystem().untold();
    expect(new PosixSystem().untold()).toEqual([memory]);
    expect(memory).toContain("does not show why a process was killed");
    {
      await using asked = await withPs(HIDES_ENVIRONMENTS);
      expect(asked.system.untold()).toEqual([
        memory,
        expect.stringContaining("ps hides the environment of some programs"),
      ]);
    }
    await using asked = await withPs("exit 1");
    const noPs = expect.stringContaining("ps does not work here") as unknown;
    expect(asked.system.untold()).toEqual([memory, noPs]);
    expect(asked.system.startOf(process.pid)).toBeUndefined();
    expect(asked.system.isRunning(process.pid, "1")).toBeUndefined();
    expect(asked.system.residentBytes(process.pid)).toBeUndefined();
    expect(asked.system.marked("SV_TEST_MARK=none")).toEqual([]);
  });

  test.runIf(hasProc)("with /proc, no ability is missing", () => {
    expect(new LinuxSystem().untold()).toEqual([]);
  });
});
