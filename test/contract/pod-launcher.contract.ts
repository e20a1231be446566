/** The contract of launchers of pods. */
import { describe, expect, it } from "vitest";
import { readPodInput } from "../../emulator/core/pods/pod-input.ts";
import { makePod } from "../../emulator/core/pods/pod-life.ts";
import type { Pod } from "../../emulator/core/pods/pod.ts";
import type { PodLauncher } from "../../emulator/launch/pod-launcher.ts";
import { eventually } from "../e2e/jobs/observe.ts";

export interface PodLauncherSubject extends AsyncDisposable {
  readonly launcher: PodLauncher;
  /** The body that creates a pod which runs `code`, a JavaScript module, under Node. */
  bodyOf(code: string): object;
  /** The body of a pod that this launcher does not run. */
  readonly foreign: object;
  /** The lines of all pods, each after the pod's id. */
  readonly lines: readonly string[];
  /** Number of its containers. */
  left(): Promise<number>;
}

const STAYS = 'console.log("here"); setInterval(() => undefined, 1_000);';
const APPENDS = `const fs = require("node:fs"); fs.appendFileSync("/data/runs", "x"); console.log(fs.readFileSync("/data/runs", "utf8"));`;

let pods = 0;

function podOf(body: object): Pod {
  pods += 1;
  const input = readPodInput({ computeType: "CPU", volumeInGb: 0, ports: [], ...body });
  return makePod(`contract${process.pid}x${pods}`, input, undefined, "2026-01-01T00:00:00.000Z");
}

/** Runs the suite. `open` creates a launcher for one test. */
export function podLauncherContract(name: string, open: () => Promise<PodLauncherSubject>): void {
  const run = ({ launcher }: PodLauncherSubject, pod: Pod) =>
    launcher.launchPod({ pod, runId: crypto.randomUUID().slice(0, 14), gpus: [] });
  const says = (subject: PodLauncherSubject, words: string) =>
    eventually(`"${words}" is written`, () =>
      subject.lines.some((line) => line.endsWith(words)) ? true : undefined,
    );

  describe(`the launcher of pods of ${name}`, () => {
    it("reports for each pod whether it can run it, and why not", async () => {
      await using subject = await open();
      const { launcher } = subject;
      expect(launcher.refusesPod(podOf(subject.bodyOf("")))).toBeUndefined();
      expect(launcher.refusesPod(podOf(subject.foreign))).toMatch(/\w+ \w+/u);
    });

    it("runs a pod with its variables, and reports its exit code", async () => {
      await using subject = await open();
      const body = subject.bodyOf("console.log(process.env.OWN); process.exitCode = 7;");
      const pod = podOf({ ...body, env: { OWN: "mine" } });
      const { exitCode } = await run(subject, pod).exited;
      expect(exitCode).toBe(7);
      expect(subject.lines).toEqual([`${pod.id}: mine`]);
      expect(await subject.left()).toBe(0);
    });

    it("opens a pod's ports on this machine", async () => {
      await using subject = await open();
      const code = `require("node:http").createServer((_, response) => response.end("hello")).listen(8000, () => ${STAYS.split(";")[0]});`;
      const pod = podOf({ ...subject.bodyOf(code), ports: ["8000/http", "22/tcp"] });
      const launched = run(subject, pod);
      const ports = await launched.running;
      expect(Object.keys(ports).toSorted()).toEqual(["22", "8000"]);
      await says(subject, "here");
      expect(await (await fetch(`http://127.0.0.1:${ports["8000"]}`)).text()).toBe("hello");
      launched.kill();
      expect(await launched.exited).toMatchObject({ signal: "SIGKILL" });
    });

    it("keeps a pod's volume over its runs, until the volume is dropped", async () => {
      await using subject = await open();
      const body = { ...subject.bodyOf(APPENDS), volumeInGb: 1, volumeMountPath: "/data" };
      const pod = podOf(body);
      for (const _ of [1, 2]) await run(subject, pod).exited;
      await subject.launcher.dropVolumes((id) => id === "another");
      await run(subject, pod).exited;
      await subject.launcher.dropVolumes((id) => id === pod.id);
      await run(subject, pod).exited;
      expect(subject.lines).toEqual(["x", "xx", "xxx", "x"].map((line) => `${pod.id}: ${line}`));
      await subject.launcher.dropVolumes((id) => id === pod.id);
    });

    it("lets a pod end by itself on request, and ends one that is killed during its start", async () => {
      await using subject = await open();
      const leaves = `process.on("SIGTERM", () => process.exit(0)); ${STAYS}`;
      const asked = run(subject, podOf(subject.bodyOf(leaves)));
      await says(subject, "here");
      asked.drain();
      expect(await asked.exited).toMatchObject({ exitCode: 0 });
      const killed = run(subject, podOf(subject.bodyOf(STAYS)));
      killed.kill();
      expect(await killed.exited).toMatchObject({ signal: "SIGKILL" });
      expect(await subject.left()).toBe(0);
    });
  });
}
