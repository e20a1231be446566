/** On an engine with a firewall, containers reach the emulator but not each other. */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { firewallIsMissing } from "../../setup/docker.ts";
import type { NetworksSeen } from "./networks-scene.ts";

const scene = path.join(import.meta.dirname, "networks-scene.ts");

describe.skipIf(firewallIsMissing() !== undefined)("on an engine with a firewall", () => {
  test("servers and pods are reached by the emulator, and not by other containers", async () => {
    const run = `ip link set lo up && exec "${process.execPath}" "${scene}"`;
    const { stdout } = await promisify(execFile)("unshare", ["--net", "sh", "-c", run]);
    const seen = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as NetworksSeen;
    expect(seen.emulator).toEqual(["here", "here"]);
    const reached = {
      "the other server": "nothing",
      "another port of its container": "nothing",
      "its published port": "ECONNREFUSED",
      "the live door": "connected",
      "the object store": "connected",
    };
    expect(seen.server).toEqual({ ...reached, "the pod": "nothing" });
    // A pod reaches itself.
    expect(seen.pod).toEqual({ ...reached, "the pod": "connected" });
    expect(seen.byDefault).toBe("connected");
    expect(seen).toMatchObject({ left: [], warnings: [] });
  });
});
