/** Findings of doctor about machines, engines and drivers, and what each use needs. */
import { once } from "node:events";
import http from "node:http";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Use } from "../../../emulator/doctor/check.ts";
import { examine } from "../../../emulator/doctor/doctor.ts";
import { nodeCheck } from "../../../emulator/doctor/machine-checks.ts";
import { askNvidiaSmi } from "../../../emulator/launch/gpus/nvidia-smi.ts";
import { standInNvidiaSmi } from "../../setup/stand-in-nvidia-smi.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";
import { temporaryTree } from "../../temporary-tree.ts";

const BASE = "nvidia/cuda:12.8.1-cudnn-runtime-ubuntu24.04";
const NOWHERE = "unix:///nowhere/docker.sock";

interface Machine {
  readonly uses?: readonly Use[];
  /** A folder of test/fixtures/nvidia-smi. */
  readonly driver?: string;
  readonly dockerHost?: string;
  readonly port?: number;
  readonly dataDirectory?: string;
  readonly cdiDirectories?: readonly string[];
  readonly toolkit?: string;
}

/** The checks by name. */
async function examined({ driver, uses = ["handlers"], ...machine }: Machine = {}) {
  await using standIn = driver === undefined ? undefined : await standInNvidiaSmi(driver);
  const { checks, isWell } = await examine({
    ...{ uses, host: "127.0.0.1", port: 0, dataDirectory: os.tmpdir(), dockerHost: NOWHERE },
    ...{ baseImage: BASE, toolkit: "/no/such/program", cdiDirectories: [] },
    ...machine,
    find: () => askNvidiaSmi(undefined, standIn?.program ?? "/no/such/nvidia-smi"),
  });
  return { isWell, of: Object.fromEntries(checks.map((check) => [check.name, check])) };
}

/** An engine that answers with these values. Its address. */
async function engineOf(version: object, info: object): Promise<string> {
  const directory = temporaryDirectory();
  const server = http.createServer(({ url = "" }, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(url.includes("version") ? version : info));
  });
  const socket = path.join(directory.path, "docker.sock");
  await once(server.listen(socket), "listening");
  onTestFinished(() => {
    server.close();
    directory[Symbol.dispose]();
  });
  return `unix://${socket}`;
}

const VERSION = { Version: "28.2.2", Os: "linux", Arch: "amd64", Components: [{ Name: "Engine" }] };
const HERE = { KernelVersion: os.release(), DockerRootDir: os.tmpdir(), Runtimes: { runc: {} } };

describe("a driver", () => {
  it("with the CUDA of the base image is fine", async () => {
    const { of } = await examined({ driver: "one-gpu", uses: ["gpus"] });
    expect(of["NVIDIA driver"]).toEqual({
      ...{ name: "NVIDIA driver", state: "ok" },
      found: "1 × NVIDIA L4, driver 570.133.20 gives CUDA 12.8",
    });
    expect(of["CUDA of the base"]).toMatchObject({ state: "ok" });
  });

  it("that is older than the base image fails for images with GPUs, with both versions", async () => {
    const { of, isWell } = await examined({ driver: "cuda-12-4", uses: ["images", "gpus"] });
    expect(isWell).toBe(false);
    expect(of["NVIDIA driver"]).toMatchObject({ state: "ok" });
    expect(of["CUDA of the base"]).toMatchObject({
      state: "fail",
      found: `${BASE} needs CUDA 12.8, driver 550.54.15 gives CUDA 12.4`,
      cure: expect.stringContaining("--base-image"),
    });
    const forFiles = await examined({ driver: "cuda-12-4", uses: ["gpus"] });
    expect(forFiles.of["CUDA of the base"]).toMatchObject({ state: "warn" });
  });

  it("that is not loaded fails with advice, and hides all further checks of GPUs", async () => {
    const { of } = await examined({ driver: "driver-not-loaded", uses: ["gpus"] });
    expect(of["NVIDIA driver"]).toMatchObject({
      state: "fail",
      found: expect.stringContaining("couldn't communicate with the NVIDIA driver"),
      cure: expect.stringContaining("modprobe nvidia"),
    });
    expect(of).not.toHaveProperty("container toolkit");
  });

  it("that is missing is only a remark for handlers", async () => {
    const { of, isWell } = await examined();
    expect(isWell).toBe(true);
    expect(of["NVIDIA driver"]).toMatchObject({
      state: "warn",
      found: expect.stringContaining("not found"),
    });
    expect((await examined({ uses: ["gpus"] })).isWell).toBe(false);
  });
});

describe("the way of containers to GPUs", () => {
  it("is missing without toolkit, runtime and specifications, each with its cure", async () => {
    const dockerHost = await engineOf(VERSION, HERE);
    const uses = ["images", "gpus"] as const;
    const { of } = await examined({ driver: "one-gpu", uses, dockerHost });
    expect(of["container toolkit"]).toMatchObject({
      state: "fail",
      cure: expect.stringContaining("nvidia-container-toolkit"),
    });
    expect(of["engine's GPUs"]).toMatchObject({
      state: "warn",
      cure: expect.stringContaining("nvidia-ctk runtime configure"),
    });
    expect(of["CDI specifications"]).toMatchObject({
      state: "warn",
      cure: expect.stringContaining("nvidia-ctk cdi generate"),
    });
  });

  it("is there with each of them", async () => {
    await using tree = await temporaryTree({
      "cdi/nvidia.yaml": "kind: nvidia.com/gpu\n",
      "cdi/other.yaml": "kind: vendor.example/card\n",
      "nvidia-ctk": '#!/bin/sh\necho "NVIDIA Container Toolkit CLI version 1.17.5"\n',
    });
    const { chmod } = await import("node:fs/promises");
    await chmod(tree.path("nvidia-ctk"), 0o755);
    const dockerHost = await engineOf(VERSION, {
      ...HERE,
      Runtimes: { nvidia: {}, runc: {} },
      DiscoveredDevices: [
        { Source: "cdi", ID: "nvidia.com/gpu=0" },
        { ID: "vendor.example/card=0" },
      ],
    });
    const { of } = await examined({
      ...{ driver: "one-gpu", dockerHost, toolkit: tree.path("nvidia-ctk") },
      cdiDirectories: [tree.path("cdi"), tree.path("none")],
    });
    expect(of["container toolkit"]?.found).toBe("nvidia-ctk 1.17.5");
    expect(of["engine's GPUs"]?.found).toBe("the runtime nvidia, nvidia.com/gpu=0 by CDI");
    expect(of["CDI specifications"]?.found).toBe(tree.path("cdi", "nvidia.yaml"));
  });

  it("needs the specifications with Podman", async () => {
    const version = { ...VERSION, Components: [{ Name: "Podman Engine", Version: "4.3.1" }] };
    const dockerHost = await engineOf(version, HERE);
    const uses = ["images", "gpus"] as const;
    const { of } = await examined({ driver: "one-gpu", uses, dockerHost });
    expect(of["container engine"]?.found).toContain("Podman Engine 4.3.1");
    expect(of["CDI specifications"]).toMatchObject({ state: "fail" });
  });
});

describe("a container engine", () => {
  it("that does not answer fails for images, with the way to mend it, and is a remark otherwise", async () => {
    const { of, isWell } = await examined({ uses: ["images"] });
    expect(isWell).toBe(false);
    expect(of["container engine"]).toMatchObject({
      state: "fail",
      found: `no Docker engine answers at ${NOWHERE}`,
      cure: expect.stringContaining("install Docker or start it"),
    });
    expect((await examined()).of["container engine"]).toMatchObject({ state: "warn" });
  });

  it("is shown with version, platform and disk", async () => {
    const dockerHost = await engineOf(VERSION, HERE);
    const { of } = await examined({ uses: ["images"], dockerHost });
    expect(of["container engine"]?.found).toBe(`Docker 28.2.2 at ${dockerHost}, linux/amd64`);
    expect(of["volumes"]).toMatchObject({ state: "ok" });
    expect(of["engine's disk"]?.found).toMatch(/: [\d.]+ [GM]B free$/u);
  });

  it("in a virtual machine, or without root, says what is to be done for volumes", async () => {
    const away = await engineOf(VERSION, { ...HERE, KernelVersion: "6.10.14-linuxkit" });
    const rootless = await engineOf(VERSION, { ...HERE, SecurityOptions: ["name=rootless"] });
    const elsewhere = await examined({ dockerHost: away });
    expect(elsewhere.of["volumes"]).toMatchObject({
      state: "warn",
      found: expect.stringContaining("6.10.14-linuxkit"),
      cure: expect.stringContaining("share the directory"),
    });
    expect(elsewhere.of).not.toHaveProperty("engine's disk");
    const plain = await examined({ dockerHost: rootless });
    expect(plain.of["container engine"]?.found).toContain("rootless");
    expect(plain.of["volumes"]?.cure).toContain("SV_CONTAINER_PRIVILEGES=image");
  });
});

describe("this machine", () => {
  it("is well without engine and GPUs, for handlers", async () => {
    const { of, isWell } = await examined();
    expect(isWell).toBe(true);
    expect(of["port 0"]).toMatchObject({ state: "ok", found: "free at 127.0.0.1" });
  });

  it("has a port that another program took, which is named", async () => {
    const server = net.createServer((socket) => socket.destroy());
    await once(server.listen({ host: "127.0.0.1", port: 0 }), "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as net.AddressInfo;
    const { of, isWell } = await examined({ port });
    expect(isWell).toBe(false);
    expect(of[`port ${port}`]).toMatchObject({
      found: expect.stringMatching(/^taken/u),
      cure: expect.stringContaining("--port"),
    });
    if (process.platform === "linux")
      expect(of[`port ${port}`]?.found).toContain(`by process ${process.pid} (`);
  });

  it("has a port at which a service of its own answers", async () => {
    const server = http.createServer((_, response) => response.end('{"alive":true}'));
    await once(server.listen({ host: "127.0.0.1", port: 0 }), "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as net.AddressInfo;
    expect((await examined({ port })).of[`port ${port}`]).toMatchObject({
      state: "ok",
      found: expect.stringContaining("a service of sv-runtime answers there"),
    });
  });

  it("may have a data directory that is not there yet", async () => {
    using directory = temporaryDirectory();
    const dataDirectory = path.join(directory.path, "a", ".sv");
    expect((await examined({ dataDirectory })).of["data directory"]).toMatchObject({ state: "ok" });
  });

  it.each([
    ["24.15.0", true],
    ["24.14.9", false],
    ["26.0.0", true],
    ["22.20.0", false],
  ])("has Node %s: %s", (version, isGood) => {
    expect(nodeCheck(version)).toMatchObject({ isGood, found: version });
  });
});
