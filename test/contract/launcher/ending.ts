/** The contract of launchers: the end of workers. */
import { expect, it } from "vitest";
import type { Template } from "../../../emulator/core/resources/templates/template.ts";
import type { Launcher, WorkerExit } from "../../../emulator/launch/launcher.ts";
import { eventually } from "../../e2e/jobs/observe.ts";
import { orderOf } from "./subject.ts";

/** A worker that says "here" when it runs. */
export type Behaviour =
  /** A worker that says "asked" when it is drained, and leaves. */
  | "leaves-when-asked"
  /** A worker that continues when it is drained, and says `whenAsked`. */
  | "stays-when-asked";

export interface EndingSubject extends AsyncDisposable {
  readonly launcher: Launcher;
  readonly foreign: Template;
  readonly lines: readonly string[];
  readonly whenAsked: string;
  /** Members of the end of a killed worker. */
  readonly killed: Partial<WorkerExit>;
  /** Number of its workers' processes or containers. */
  left(): Promise<number>;
  templateThat(behaviour: Behaviour): Template;
}

export function endsWorkers(open: () => Promise<EndingSubject>): void {
  const launch = (subject: EndingSubject, behaviour: Behaviour) =>
    subject.launcher.launch(orderOf(subject.templateThat(behaviour)));
  const says = (subject: EndingSubject, words: string, count = 1) =>
    eventually(`"${words}" is written`, () =>
      subject.lines.filter((line) => line.includes(words)).length >= count ? true : undefined,
    );

  it("the launcher reports for each template whether it can run it, and why not", async () => {
    await using subject = await open();
    const { launcher, foreign } = subject;
    expect(launcher.refuses(subject.templateThat("leaves-when-asked"))).toBeUndefined();
    expect(launcher.refuses(foreign)).toMatch(/\w+ \w+/u);
  });

  it("a drained worker can leave by itself", async () => {
    await using subject = await open();
    const worker = launch(subject, "leaves-when-asked");
    await says(subject, "here");
    worker.drain();
    const exit = await worker.exited;
    expect(exit).toMatchObject({ exitCode: 0, startError: undefined });
    expect(exit.lastLogLines.some((line) => line.includes("asked"))).toBe(true);
  });

  it("a drained worker that does not leave is ended", async () => {
    await using subject = await open();
    const worker = launch(subject, "stays-when-asked");
    await says(subject, "here");
    worker.drain();
    await says(subject, subject.whenAsked);
    worker.kill();
    expect(await worker.exited).toMatchObject(subject.killed);
  });

  it("a worker that is killed while it is started is ended", async () => {
    await using subject = await open();
    const worker = launch(subject, "leaves-when-asked");
    worker.kill();
    expect(await worker.exited).toMatchObject(subject.killed);
    expect(await subject.left()).toBe(0);
  });

  it("a closed launcher has ended all its workers, and can be closed twice", async () => {
    await using subject = await open();
    const { launcher } = subject;
    const workers = [launch(subject, "stays-when-asked"), launch(subject, "stays-when-asked")];
    await says(subject, "here", 2);
    await Promise.all([launcher.close(), launcher.close()]);
    for (const worker of workers) expect(await worker.exited).toMatchObject(subject.killed);
    expect(await subject.left()).toBe(0);
  });
}
