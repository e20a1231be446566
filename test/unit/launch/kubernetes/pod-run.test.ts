/** Timeout of a pod that cannot be created. */
import { expect, it } from "vitest";
import { PodRun } from "../../../../emulator/launch/kubernetes/pod-run.ts";
import type { SeenPod } from "../../../../emulator/launch/kubernetes/seen-pod.ts";
import { Run } from "../../../../emulator/launch/runs/run.ts";
import { FakeClock } from "../../../fake-clock.ts";

const MINUTE_MS = 60_000;

function podWaiting(reason: string): SeenPod {
  const metadata = { name: "p", uid: "u", resourceVersion: "1" };
  const containerStatuses = [{ name: "worker", state: { waiting: { reason } } }];
  return { metadata, status: { phase: "Pending", containerStatuses } };
}

it("each obstacle has a limit of one minute, however many obstacles there were before", async () => {
  const clock = new FakeClock();
  const steps = new PodRun({
    make: async () => podWaiting("ContainerCreating"),
    hindered: () => undefined,
    cluster: { deletePod: async () => {}, eventsOf: async () => [], async *followLog() {} },
    remove: async () => {},
    clock,
  });
  const host = { clock, engine: "the cluster", failed: String };
  const { exited } = new Run(steps, host, {
    ...{ line: () => undefined, met: () => undefined, bounds: undefined },
  });
  let exit: unknown;
  void exited.then((how) => (exit = how));
  await clock.settle();
  for (let time = 0; time < 3; time += 1) {
    steps.saw(podWaiting("ErrImagePull"));
    await clock.advance(MINUTE_MS - 1);
    steps.saw(podWaiting("ContainerCreating"));
    await clock.advance(MINUTE_MS);
  }
  steps.saw(podWaiting("CreateContainerConfigError"));
  await clock.advance(MINUTE_MS - 1);
  expect(exit).toBeUndefined();
  await clock.advance(1);
  const startError = "its container cannot be made: CreateContainerConfigError";
  expect(exit).toMatchObject({ startError });
});
