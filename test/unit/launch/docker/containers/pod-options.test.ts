/** The engine's options for a pod's container: disks, ports, GPUs and labels. */
import { describe, expect, it } from "vitest";
import { readPodInput } from "../../../../../emulator/core/pods/pod-input.ts";
import { makePod } from "../../../../../emulator/core/pods/pod-life.ts";
import {
  LABEL,
  podVolumeLabels,
} from "../../../../../emulator/launch/docker/containers/container-labels.ts";
import {
  podOptions,
  podPorts,
} from "../../../../../emulator/launch/docker/containers/pod-options.ts";
import { FakeClock } from "../../../../fake-clock.ts";
import { open } from "../open-scripted.ts";
import { ScriptedEngine } from "../scripted-engine.ts";

const AT = "2026-01-01T00:00:00.000Z";
const GPU = { id: "GPU-1", typeId: "NVIDIA L4", isSimulated: false };
const podOf = (body: object) =>
  makePod("p1", readPodInput({ imageName: "me/box:1", ...body }), undefined, AT);

function optionsOf(body: object, networkVolume?: string, gpus = [GPU]) {
  return podOptions(
    { pod: podOf(body), runId: "r1", gpus },
    {
      labels: { a: "1" },
      volumeLabels: { b: "2" },
      settings: {
        ...{ asImage: false, memoryBytes: 5, cpus: 1.5, tmpBytes: 1, tmpExec: false },
        ...{ shmBytes: 1, pids: 1, memlockBytes: undefined, platform: undefined },
      },
      networkVolume,
      limitsDisk: true,
      network: "sv-mine",
    },
  );
}

describe("the container of a pod", () => {
  it("is named after the pod and its run, and has the pod's program and variables", () => {
    const options = optionsOf({
      dockerEntrypoint: ["sh"],
      dockerStartCmd: ["-c"],
      env: { A: "1" },
    });
    expect(options).toMatchObject({
      name: "sv-pod-p1-r1",
      Image: "me/box:1",
      Entrypoint: ["sh"],
      Cmd: ["-c"],
      Labels: { a: "1" },
    });
    expect(options.Env).toEqual(expect.arrayContaining(["A=1", "NVIDIA_VISIBLE_DEVICES=GPU-1"]));
    expect(options.User).toBeUndefined();
  });

  it("gets its identity and location by the names that images of the live service read", () => {
    const env = { RUNPOD_POD_ID: "own", RUNPOD_DC_ID: "OWN-1" };
    const options = optionsOf({ env, networkVolumeId: "volume0001", dataCenterIds: ["EU-RO-1"] });
    const told = (options.Env ?? []).filter((each) => each.startsWith("RUNPOD_"));
    expect(told.toSorted()).toEqual([
      "RUNPOD_CPU_COUNT=2",
      "RUNPOD_DC_ID=OWN-1",
      "RUNPOD_GPU_COUNT=1",
      "RUNPOD_GPU_NAME=NVIDIA+L4",
      "RUNPOD_GPU_SIZE=AMPERE_24",
      "RUNPOD_GPU_TYPE_ID=NVIDIA L4",
      "RUNPOD_MEM_GB=1",
      "RUNPOD_POD_HOSTNAME=p1",
      "RUNPOD_POD_ID=p1",
      "RUNPOD_VOLUME_ID=volume0001",
    ]);
  });

  it("has the pod's bounds, disk and GPUs, and its ports are on this machine only", () => {
    const { HostConfig: host } = optionsOf({
      ports: ["8888/http", "22/tcp"],
      containerDiskInGb: 7,
    });
    expect(host).toMatchObject({
      Memory: 5,
      NanoCpus: 1_500_000_000,
      StorageOpt: { size: "7G" },
      DeviceRequests: [{ DeviceIDs: ["GPU-1"] }],
    });
    const local = [{ HostIp: "127.0.0.1", HostPort: "" }];
    expect(host?.PortBindings).toEqual({ "8888/tcp": local, "22/tcp": local });
  });

  it.each([
    [{}, undefined, [{ Type: "volume", Source: "sv-pod-p1", Target: "/workspace" }]],
    [{ volumeMountPath: "/a/" }, "/v", [{ Type: "bind", Source: "/v", Target: "/a" }]],
    [{ volumeInGb: 0 }, undefined, []],
    [{ volumeInGb: null }, undefined, []],
  ])("of %j on the network volume %j has the mounts %j", (body, volume, mounts) => {
    expect(optionsOf(body, volume).HostConfig?.Mounts).toMatchObject(mounts);
  });
});

it("published ports are listed by the pod's own port numbers", () => {
  const pod = podOf({ ports: ["8888/http", "22/tcp"] });
  expect(podPorts(pod, new Map([["8888/tcp", 4_001]]))).toEqual({ "8888": 4_001 });
});

it("only unneeded volumes of this emulator's pods are deleted", async () => {
  const engine = new ScriptedEngine();
  const volume = (id: string, podId: string, emulator: string) => ({
    ...{ id, createdAt: 0 },
    labels: podVolumeLabels(podId, emulator),
  });
  engine.volumes = [
    volume("a", "p1", "mine"),
    volume("b", "p2", "mine"),
    volume("c", "p1", "other"),
  ];
  const { launcher } = open(engine, new FakeClock());
  await launcher.dropVolumes((podId) => podId === "p1");
  expect(engine.removed).toEqual(["a"]);
  expect(engine.volumes[0]?.labels[LABEL.volumeOf]).toBe("p1");
});
