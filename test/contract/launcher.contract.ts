/** The contract of launchers. */
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { LaunchedWorker } from "../../emulator/launch/launcher.ts";
import { eventually } from "../e2e/jobs/observe.ts";
import { type Behaviour, endsWorkers, type EndingSubject } from "./launcher/ending.ts";
import { launch, type LauncherSubject, orderOf } from "./launcher/subject.ts";

const STAYS = 'console.log("here"); setInterval(() => undefined, 1_000);';
const LEAVES_WHEN_ASKED = `process.on("SIGTERM", () => { console.log("asked"); process.exit(0); }); ${STAYS}`;
const STAYS_WHEN_ASKED = `process.on("SIGTERM", () => console.log("no")); ${STAYS}`;

const CODE: Readonly<Record<Behaviour, string>> = {
  "leaves-when-asked": LEAVES_WHEN_ASKED,
  "stays-when-asked": STAYS_WHEN_ASKED,
};

function placeOf({ kind }: LaunchedWorker): "container" | "pod" | "process" {
  return kind === "container" || kind === "pod" ? kind : "process";
}

function asEnding(subject: LauncherSubject): EndingSubject {
  return {
    ...subject,
    whenAsked: "no",
    killed: { exitCode: undefined, signal: "SIGKILL" },
    templateThat: (behaviour) => subject.templateOf(CODE[behaviour]),
    [Symbol.asyncDispose]: () => subject[Symbol.asyncDispose](),
  };
}

/**
 * Runs the suite.
 * @param open creates a launcher for one test
 * @param freezes whether its workers can be frozen
 */
export function launcherContract(
  name: string,
  open: () => Promise<LauncherSubject>,
  { freezes = true }: { readonly freezes?: boolean } = {},
): void {
  describe(`the launcher of ${name}`, () => {
    endsWorkers(async () => asEnding(await open()));

    if (freezes) freezesWorkers(open);

    it("reports that the CUDA of a failed worker is newer than the driver", async () => {
      await using subject = await open();
      const line = "CUDA driver version is insufficient for CUDA runtime version";
      const code = `console.error("${line}"); process.exitCode = 1;`;
      const { exitCode, limit } = await launch(subject, code).exited;
      expect(exitCode).toBe(1);
      expect(limit).toMatch(/^its CUDA is newer than the driver, .*: update the driver/u);
      expect((await launch(subject, `console.error("${line}")`).exited).limit).toBeUndefined();
    });

    it("reports the exit code of a worker, and its last lines from both outputs", async () => {
      await using subject = await open();
      const worker = launch(subject, 'console.log("one"); console.error("two"); process.exit(7);');
      const exit = await worker.exited;
      expect(exit).toMatchObject({ exitCode: 7, signal: undefined, outOfMemory: false });
      expect(exit.startError).toBeUndefined();
      expect([...exit.lastLogLines].toSorted()).toEqual(["one", "two"]);
    });

    it("logs every line with the worker that wrote it", async () => {
      await using subject = await open();
      const template = subject.templateOf(
        "for (let n = 0; n < 500; n++) console.log(`line ${n}`);",
      );
      const order = orderOf(template);
      await subject.launcher.launch(order).exited;
      expect(subject.lines).toHaveLength(500);
      expect(subject.lines.at(-1)).toBe(`${order.workerId}: line 499`);
    });

    it("reports the signal that ended a worker", async () => {
      await using subject = await open();
      const worker = launch(
        subject,
        'process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 9);',
      );
      expect(await worker.exited).toMatchObject({ exitCode: undefined, signal: "SIGKILL" });
    });

    it("gives a worker its identity and its template's settings in variables", async () => {
      await using subject = await open();
      const names = ["SV_WORKER_ID", "SV_WORKER_TOKEN", "SV_ENDPOINT_ID", "OWN"];
      const code = `console.log(JSON.stringify(${JSON.stringify(names)}.map((name) => process.env[name])))`;
      const template = { ...subject.templateOf(code), env: { OWN: "1", SV_WORKER_ID: "another" } };
      const order = orderOf(template);
      const { lastLogLines } = await subject.launcher.launch(order).exited;
      expect(JSON.parse(lastLogLines[0] ?? "")).toEqual([
        order.workerId,
        "a-token",
        "contract",
        "1",
      ]);
    });

    it("reports why the system refused to start a worker", async () => {
      await using subject = await open();
      const LONGER_THAN_A_VARIABLE_MAY_BE = "x".repeat(200_000);
      const template = {
        ...subject.templateOf(STAYS),
        env: { LONG: LONGER_THAN_A_VARIABLE_MAY_BE },
      };
      const exit = await subject.launcher.launch(orderOf(template)).exited;
      expect(exit.exitCode).not.toBe(0);
      expect([exit.startError, ...exit.lastLogLines].join()).toMatch(
        /E2BIG|argument list too long/iu,
      );
    });

    it("reports the place of a started worker", async () => {
      await using subject = await open();
      const worker = launch(subject, STAYS);
      await eventually("it is there", () => (subject.lines.length === 1 ? true : undefined));
      const { pid, container, pod } = worker.place?.() ?? {};
      expect({ container, pod, process: pid }[placeOf(worker)]).toBeDefined();
    });

    it("leaves nothing of a worker after its end", async () => {
      await using subject = await open();
      const program = 'require("node:child_process")';
      const code = `${program}.spawn("sleep", ["1000"], { stdio: "ignore", detached: true }).unref(); setTimeout(() => process.exit(0), 100);`;
      await launch(subject, code).exited;
      expect(await subject.left()).toBe(0);
    });
  });
}

function freezesWorkers(open: () => Promise<LauncherSubject>): void {
  it("freezes a worker with all its processes, and thaws it", async () => {
    await using subject = await open();
    const ticks = "setInterval(() => console.log(`tick of ${who}`), 20)";
    const childs = JSON.stringify(`const who = "the child"; ${ticks}`);
    const child = `spawn(process.execPath, ["-e", ${childs}], { stdio: "inherit", detached: true })`;
    const code = `const { spawn } = require("node:child_process"); ${child}; const who = "its own"; ${ticks}`;
    const worker = launch(subject, code);
    await worker.running;
    const ticked = (who: string) => subject.lines.filter((line) => line.includes(who)).length;
    const bothTick = async (since = { own: 0, child: 0 }) =>
      eventually("both tick", () => {
        const now = { own: ticked("its own"), child: ticked("the child") };
        return now.own > since.own + 2 && now.child > since.child + 2 ? now : undefined;
      });
    await bothTick();
    await worker.freeze?.(true);
    // Earlier output may still be in transit.
    await delay(300);
    const frozen = { own: ticked("its own"), child: ticked("the child") };
    await delay(300);
    expect({ own: ticked("its own"), child: ticked("the child") }).toEqual(frozen);
    await worker.freeze?.(false);
    await bothTick(frozen);
    worker.kill();
    await worker.exited;
  });

  it("can kill a frozen worker, and cannot freeze an ended one", async () => {
    await using subject = await open();
    const worker = launch(subject, STAYS);
    await worker.running;
    await eventually("it is there", () => (subject.lines.length === 1 ? true : undefined));
    await worker.freeze?.(true);
    worker.kill();
    expect(await worker.exited).toMatchObject({ signal: "SIGKILL" });
    expect(await subject.left()).toBe(0);
    await expect(worker.freeze?.(true)).rejects.toThrow(/\w+ \w+/u);
  });
}
