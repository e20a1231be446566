/** Answers of a Docker engine, and their interpretation: failures, ends, the progress of pulls, addresses. */
import { describe, expect, it } from "vitest";
import { exitOf } from "../../../../emulator/launch/docker/containers/container-run.ts";
import { EngineError } from "../../../../emulator/launch/docker/container-engine.ts";
import { pullProblem, startProblem } from "../../../../emulator/launch/docker/docker-errors.ts";
import { gatewayOf } from "../../../../emulator/launch/docker/engine-answers.ts";
import { PullFailed, PullProgress } from "../../../../emulator/launch/docker/image-puller.ts";

describe("a container that cannot be started", () => {
  const problem = (message: string) => startProblem(new EngineError(message, 500));

  it("because the GPU driver is missing says what to install", () => {
    const message = 'could not select device driver "" with capabilities: [[gpu]]';
    expect(problem(message)).toMatch(/install the NVIDIA Container Toolkit.*nvidia-ctk/u);
  });

  it("because its program is missing names the program and the template's fields", () => {
    const told = problem(
      'OCI runtime create failed: runc create failed: unable to start container process: exec: "nope": executable file not found in $PATH: unknown',
    );
    expect(told).toBe(
      `the container's program cannot be run: exec: "nope": executable file not found in $PATH; the template's dockerEntrypoint and dockerStartCmd name the program, or else the image does`,
    );
  });

  it.each([
    'invalid mount config for type "bind": bind source path does not exist: /a/b c',
    "Mounts denied: \nThe path /a/b is not shared from the host and is not known to Docker.",
    "statfs /a/b: no such file or directory",
  ])("on an engine that does not see a directory says that it must be shared: %j", (message) => {
    expect(problem(message)).toMatch(/does not see \/a\/b( c)? of this machine, .*share it/u);
  });

  it("for any other reason gives the engine's message", () => {
    expect(problem("not today")).toBe("the Docker engine refuses the container: not today");
  });

  it("because the disk is full says how to free space", () => {
    const told = problem("mkdir /data/overlay2/a: no space left on device");
    expect(told).toMatch(/^the container cannot be made: mkdir.*disk.* full: make room.*prune/u);
  });
});

describe("an image that cannot be pulled", () => {
  const problem = (message: string, hasCredentials = false) =>
    pullProblem("a/b:1", new EngineError(message, 500), hasCredentials);

  it.each([
    [
      "pull access denied for a/b, repository does not exist",
      "the template needs a containerRegistryAuthId",
    ],
    ["manifest for a/b:1 not found: manifest unknown", "check the template's imageName"],
    ["Get https://r/v2/: dial tcp: lookup r: no such host", "reaches the registry"],
    ["failed to register layer: write /a: no space left on device", "docker system prune"],
    ["something else", "is used without a pull"],
  ])("because of %j says what to do", (message, advice) => {
    expect(problem(message)).toContain(message);
    expect(problem(message)).toContain(advice);
  });

  it("because the registry refuses the credentials says to check them", () => {
    const told = problem("unauthorized: incorrect username or password", true);
    expect(told).toContain("check the image name, and the username and password");
  });
});

describe("the end of a container", () => {
  it.each([
    [
      { exitCode: 0, oomKilled: false },
      { exitCode: 0, signal: undefined, outOfMemory: false },
    ],
    [
      { exitCode: 3, oomKilled: false },
      { exitCode: 3, signal: undefined, outOfMemory: false },
    ],
    [
      { exitCode: 143, oomKilled: false },
      { exitCode: undefined, signal: "SIGTERM" },
    ],
    [
      { exitCode: 137, oomKilled: false },
      { signal: "SIGKILL", outOfMemory: false },
    ],
    [
      { exitCode: 137, oomKilled: true },
      { signal: "SIGKILL", outOfMemory: true },
    ],
    // Memory ran out for a process of the handler. The worker reported it, and left in good order.
    [
      { exitCode: 0, oomKilled: true },
      { exitCode: 0, outOfMemory: false },
    ],
  ])("is reported from %j as %j", (end, exit) => {
    expect(exitOf(end, ["last"])).toMatchObject({ ...exit, lastLogLines: ["last"] });
  });

  it("is a failed start if its init could not run the program", () => {
    const lines = ["[FATAL tini (7)] exec /no/such failed: No such file or directory"];
    const { startError } = exitOf({ exitCode: 127, oomKilled: false }, lines);
    expect(startError).toContain("exec /no/such failed: No such file or directory");
    expect(exitOf({ exitCode: 127, oomKilled: false }, ["sh: x: not found"])).toMatchObject({
      exitCode: 127,
      startError: undefined,
    });
  });
});

describe("the progress of a pull", () => {
  const loading = (id: string, current: number, total: number) => ({
    id,
    status: "Downloading",
    progressDetail: { current, total },
  });

  it("is a line for about each tenth", () => {
    const progress = new PullProgress();
    const lines = [progress.take({ status: "Pulling from a/b", id: "latest" })];
    for (let mb = 1; mb <= 100; mb += 1) lines.push(progress.take(loading("a", mb * 1e6, 100e6)));
    const told = lines.filter((line) => line !== undefined);
    expect(told).toHaveLength(10);
    expect(told.at(-1)).toBe("100 of 100 MB, 0 of 1 layers unpacked");
  });

  it("counts the unpacked layers, also if their sizes are unknown", () => {
    const progress = new PullProgress();
    progress.take({ status: "Already exists", id: "old" });
    progress.take(loading("new", 2e6, 0));
    progress.take({ status: "Pull complete", id: "new" });
    expect(progress.take(loading("third", 3e6, 9e6))).toBe("5 of 11 MB, 2 of 3 layers unpacked");
  });

  it("ignores invalid messages, and throws reported errors", () => {
    const progress = new PullProgress();
    for (const odd of [undefined, 7, "x", [], {}, { id: 1, status: {} }])
      expect(progress.take(odd)).toBeUndefined();
    expect(() => progress.take({ error: "denied" })).toThrow(new PullFailed("denied"));
  });
});

describe("this machine's address for containers", () => {
  it.each([
    [{ Subnet: "172.17.0.0/16", Gateway: "172.17.0.9" }, "172.17.0.9"],
    [{ Subnet: "172.17.0.0/16" }, "172.17.0.1"],
    [{ Subnet: "10.225.3.0/24" }, "10.225.3.1"],
    [{ Subnet: "192.168.255.128/25" }, "192.168.255.129"],
    [{ Subnet: "fd00::/64", Gateway: "fd00::1" }, undefined],
    [{}, undefined],
  ])("on the network %j is %s", (subnet, address) => {
    expect(gatewayOf({ IPAM: { Config: [subnet] } })).toBe(address);
  });
});
