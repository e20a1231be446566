/** Promises of every adapter of the port to the operating system, tested with real processes. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import type { System } from "../../runtime/system/system.ts";

const MARK = "SV_TEST_MARK";

const STUBBORN = 63;
/** Programs in sessions of their own that ignore SIGTERM, until descriptor 3 ends; the shell that started them ends. */
const LEAVES_THEM = `trap '' TERM
for i in $(seq ${STUBBORN}); do setsid sh -c 'echo; read _' <&3 & done`;

const HOLD = "const held = Buffer.alloc(60_000_000, 1); setInterval(() => held, 1_000);";
const PARENT = `const { spawn } = require("node:child_process");
spawn(process.execPath, ["-e", ${JSON.stringify(`${HOLD} console.log("here")`)}], { stdio: "inherit" });
process.stdin.resume(); process.stdin.on("end", () => process.exit());`;

export function describeSystem(name: string, open: () => System): void {
  describe(`the system as told by ${name}`, () => {
    test("63 children that have left their parents and ignore SIGTERM are found, and end when they are killed", async () => {
      const system = open();
      const marker = randomUUID();
      const mark = `${MARK}=${marker}`;
      const env = { ...process.env, [MARK]: marker };
      const shell = spawn("sh", ["-c", LEAVES_THEM], {
        env,
        stdio: ["ignore", "pipe", "ignore", "pipe"],
      });
      const ended = once(shell, "exit");
      let up = 0;
      shell.stdout?.on("data", ({ length }: Buffer) => (up += length));
      // A process has no environment for a moment before it becomes another program, but has one when it has
      // written something.
      await expect.poll(() => up).toBe(STUBBORN);
      await ended;
      const found = system.marked(mark);
      expect(found).toHaveLength(STUBBORN);
      for (const pid of found) process.kill(pid, "SIGTERM");
      expect(system.marked(mark)).toEqual(found);
      for (const pid of found) process.kill(pid, "SIGKILL");
      await expect.poll(() => system.marked(mark)).toEqual([]);
    });

    test("a mark matches as a whole, not the beginning or end of another", async () => {
      const system = open();
      const marker = randomUUID();
      await using child = await started("echo; exec sleep 600", { [MARK]: `${marker}-1` });
      expect(system.marked(`${MARK}=${marker}-1`)).toEqual([child.pid]);
      expect(system.marked(`${MARK}=${marker}`)).toEqual([]);
      expect(system.marked(`TEST_MARK=${marker}-1`)).toEqual([]);
    });

    test("a process has one start time however often it is asked, and another process another", async () => {
      const system = open();
      await using child = await started("echo; exec sleep 600");
      const starts = Array.from({ length: 5 }, () => system.startOf(child.pid) ?? "none");
      expect(starts).not.toContain("none");
      expect(starts.every((start) => system.isRunning(child.pid, start) === true)).toBe(true);
      const ofFirst = system.startOf(1) ?? "none";
      expect(system.isRunning(1, ofFirst)).toBe(true);
      expect(system.isRunning(child.pid, ofFirst)).toBe(false);
    });

    test("an ended process does not run, and neither does a zombie", async () => {
      const system = open();
      const child = await started("echo; exec sleep 600");
      const start = system.startOf(child.pid) ?? "none";
      await child[Symbol.asyncDispose]();
      expect(system.startOf(child.pid)).toBeUndefined();
      expect(system.isRunning(child.pid, start)).toBe(false);
      expect(system.residentBytes(child.pid)).toBeUndefined();
      await using parent = await started("sleep 0.01 >/dev/null & echo $!; exec sleep 600");
      await expect.poll(() => open().startOf(Number(parent.said))).toBeUndefined();
      expect(process.kill(Number(parent.said), 0)).toBe(true);
    });

    test("a process that started after the last scan is not taken for ended", async () => {
      const system = open();
      system.startOf(process.pid);
      await using child = await started("echo; exec sleep 600");
      const start = open().startOf(child.pid) ?? "none";
      expect(system.isRunning(child.pid, start)).toBe(true);
      expect(system.startOf(child.pid)).toBeDefined();
    });

    test("resident memory includes the descendants", async () => {
      await using parent = await started(`exec "${process.execPath}" -e '${PARENT}'`);
      expect(open().residentBytes(parent.pid)).toBeGreaterThan(60_000_000 + 2 * 20_000_000);
    });

    test("the nearest ancestor without a mark is found behind a shell that has it", async () => {
      expect(open().unmarkedAncestor([`${MARK}=${randomUUID()}`])).toBe(process.ppid);
      const adapter = open().constructor.name;
      const file = `${import.meta.dirname}/../../runtime/system/${adapter.replace("System", "").toLowerCase()}.ts`;
      const asks = `import { ${adapter} } from ${JSON.stringify(file)};
        console.log(new ${adapter}().unmarkedAncestor(process.argv.slice(1)))`;
      // The words of a command look like its environment to `ps`.
      const marks = { FIRST: `${MARK}=ä b=c`, OTHER: "SV_TEST_OTHER=1" };
      await using child = await started(
        `env "$FIRST" "$OTHER" sh -c '"$@"; true' sh "$NODE" --input-type=module -e "$ASKS" "$FIRST" "$OTHER"; exec sleep 600`,
        { ...marks, NODE: process.execPath, ASKS: asks },
      );
      expect(child.said).toBe(`${child.pid}\n`);
    });

    test("the scope of process ids is constant", () => {
      expect(open().scope()).not.toBe("");
      expect(open().scope()).toBe(open().scope());
    });
  });
}

export interface Started extends AsyncDisposable {
  readonly pid: number;
  readonly said: string;
}

/** A shell in its own process group that has written something. */
export async function started(script: string, env: NodeJS.ProcessEnv = {}): Promise<Started> {
  const child = spawn("sh", ["-c", script], {
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "inherit"],
    detached: true,
  });
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  const pid = child.pid ?? 0;
  return {
    pid,
    said: said.toString(),
    async [Symbol.asyncDispose]() {
      process.kill(-pid, "SIGKILL");
      await once(child, "close");
    },
  };
}
