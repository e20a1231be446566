/** The status of a pod, and the state and exit that are read from it. */
import { describe, expect, it } from "vitest";
import { exitOf, stateOf, warnedOf } from "../../../../emulator/launch/kubernetes/pod-state.ts";
import type { SeenPod } from "../../../../emulator/launch/kubernetes/seen-pod.ts";

type Status = NonNullable<SeenPod["status"]>;
type State = NonNullable<NonNullable<Status["containerStatuses"]>[number]["state"]>;

const RAN = { hasRun: true, wasAsked: false };

function pod(status: Status, state?: State): SeenPod {
  const metadata = { name: "p", uid: "u", resourceVersion: "1" };
  const containerStatuses = state && [{ name: "worker", state }];
  return { metadata, status: { ...status, ...(containerStatuses && { containerStatuses }) } };
}

describe("the state of a waiting pod", () => {
  it("is the missing node, in the scheduler's words", () => {
    const message = "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.";
    const conditions = [
      { type: "PodScheduled", status: "False", reason: "Unschedulable", message },
    ];
    const reason = "no node takes its pod: 0/3 nodes are available: 3 Insufficient nvidia.com/gpu";
    expect(stateOf(pod({ phase: "Pending", conditions }))).toEqual({
      kind: "waiting",
      obstacle: { reason, isThrottled: true },
    });
  });

  it.each([
    ["ErrImagePull", "its image cannot be pulled: ErrImagePull: not found"],
    ["ImagePullBackOff", "its image cannot be pulled: ImagePullBackOff: not found"],
    [
      "CreateContainerConfigError",
      "its container cannot be made: CreateContainerConfigError: not found",
    ],
  ])("shows %s", (reason, sentence) => {
    const waiting = { waiting: { reason, message: "not found" } };
    expect(stateOf(pod({ phase: "Pending" }, waiting))).toEqual({
      kind: "waiting",
      obstacle: { reason: sentence, isThrottled: false },
    });
  });

  it("has no obstacle while its container is created", () => {
    const waiting = { waiting: { reason: "ContainerCreating" } };
    expect(stateOf(pod({ phase: "Pending" }, waiting))).toEqual({
      kind: "waiting",
      obstacle: undefined,
    });
  });
});

describe("the end of a pod", () => {
  it.each([
    [{ exitCode: 0, reason: "Completed" }, { exitCode: 0 }],
    [{ exitCode: 7, reason: "Error" }, { exitCode: 7 }],
    [
      { exitCode: 137, reason: "Error" },
      { signal: "SIGKILL", outOfMemory: false },
    ],
    [
      { exitCode: 137, reason: "OOMKilled" },
      { signal: "SIGKILL", outOfMemory: true },
    ],
    [
      { exitCode: 128, reason: "StartError", message: 'exec: "no": not found' },
      { startError: expect.stringContaining('cannot be run: exec: "no": not found') },
    ],
    [
      { exitCode: 127, reason: "ContainerCannotRun", message: "no such file" },
      { startError: expect.stringContaining("no such file") },
    ],
  ])("by %o is reported as such", (terminated, exit) => {
    expect(exitOf(pod({ phase: "Failed" }, { terminated }), RAN, [])).toMatchObject(exit);
  });

  it.each([
    [
      { phase: "Failed", reason: "Evicted", message: "The node was low on resource: memory." },
      "its pod, which was evicted: The node was low on resource: memory",
    ],
    [{ phase: "Failed", reason: "NodeLost" }, "its pod, which was lost with its node"],
    [
      {
        phase: "Failed",
        conditions: [
          { type: "DisruptionTarget", status: "True", reason: "DeletionByTaintManager" },
        ],
      },
      "its pod, which had to leave its node",
    ],
    [{ phase: "Running" }, "its pod, which was deleted from outside"],
  ])("with its place (%o) is its loss, whatever its program did", (status, goneWith) => {
    const terminated = status.phase === "Failed" ? { terminated: { exitCode: 143 } } : undefined;
    expect(exitOf(pod(status, terminated), RAN, ["last"])).toMatchObject({
      goneWith,
      lastLogLines: ["last"],
    });
  });

  it("is a failed start if its node refused it", () => {
    const refused = { phase: "Failed", reason: "OutOfcpu", message: "Node didn't have enough cpu" };
    expect(exitOf(pod(refused), { ...RAN, hasRun: false }, []).startError).toBe(
      "its pod failed on its node: OutOfcpu: Node didn't have enough cpu",
    );
  });
});

describe("the events of a pod", () => {
  const pulls = { type: "Normal", reason: "Pulling", lastTimestamp: "2026-01-01T00:00:09Z" };
  const fails = { type: "Warning", reason: "FailedMount", message: "timed out" };

  it("show what its node is waiting for", () => {
    expect(warnedOf([pulls, { ...fails, lastTimestamp: "2026-01-01T00:00:10Z" }])).toEqual({
      reason: "its container cannot be made: FailedMount: timed out",
      isThrottled: false,
    });
  });

  it("show nothing if a later step has begun, or if they are about its scheduling", () => {
    expect(warnedOf([{ ...fails, lastTimestamp: "2026-01-01T00:00:08Z" }, pulls])).toBeUndefined();
    expect(warnedOf([{ type: "Warning", reason: "FailedScheduling" }])).toBeUndefined();
    expect(warnedOf([])).toBeUndefined();
  });
});
