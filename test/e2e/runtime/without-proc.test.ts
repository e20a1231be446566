/** The service without /proc, as on a Mac: it uses `ps`, and reports unavailable facts as unknown. */
import path from "node:path";
import { expect, test } from "vitest";
import { createClient } from "../../../runtime/client/index.ts";
import { whatIsMissing } from "../../setup/debian-program.ts";
import { withoutProc } from "../../setup/without-proc.ts";
import { tmpfsIsMissing } from "../../setup/tmpfs.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { startEmulatorProcess } from "../emulator-process.ts";
import { eventually, processesMarked } from "../jobs/observe.ts";

const HANDLER = path.resolve(
  import.meta.dirname,
  "../../fixtures/handlers/leaves-stubborn-children.ts",
);
const COUNT = 63;

const missing = whatIsMissing("tests of a system without /proc", ["ps"]) ?? tmpfsIsMissing;

async function setScene() {
  const mark = `WITHOUT_PROC=${crypto.randomUUID()}`;
  const [name = "", value = ""] = mark.split("=");
  const leaves = { handler: HANDLER, workersMax: 1, env: { [name]: value } };
  const config = JSON.stringify({ endpoints: { leaves } });
  const tree = await temporaryTree({ "sv.config.json": config });
  const emulator = await startEmulatorProcess({
    args: ["sv.config.json"],
    cwd: tree.root,
    under: withoutProc,
  });
  const client = createClient({ baseUrl: emulator.url, apiKey: emulator.apiKey });
  const sleepers = () =>
    processesMarked(mark).filter(({ commandLine }) => commandLine.startsWith("sleep"));
  return {
    emulator,
    endpoint: client.endpoint("leaves"),
    sleepers,
    left: () => processesMarked(mark),
    async [Symbol.asyncDispose]() {
      await client.close();
      await emulator[Symbol.asyncDispose]();
      for (const { pid } of processesMarked(mark)) process.kill(pid, "SIGKILL");
      await tree[Symbol.asyncDispose]();
    },
  };
}

test.skipIf(missing !== undefined)(
  "63 stubborn child processes end with their handler's process and its worker; the start logs what is unavailable",
  async () => {
    await using scene = await setScene();
    const { emulator, endpoint, sleepers } = scene;
    const said = emulator.stderrLines.filter((line) => line.includes("this system does not show"));
    expect(said).toEqual([expect.stringContaining("why a process was killed")]);
    await endpoint.runSync({ quick: true });

    const { id } = await endpoint.run({ count: COUNT, thenExit: true });
    await expect(endpoint.wait(id)).rejects.toHaveProperty("job.status", "FAILED");
    await eventually("those of a handler that exited are gone", () =>
      sleepers().length === 0 ? true : undefined,
    );

    await endpoint.run({ count: COUNT });
    await eventually("they are there", () => (sleepers().length === COUNT ? true : undefined));
    emulator.child.kill("SIGINT");
    await emulator.stderrMatch(/running jobs finish first/);
    emulator.child.kill("SIGTERM");
    expect(await emulator.exited).toEqual({ code: 130, signal: null });
    await eventually("nothing is left", () => (scene.left().length === 0 ? true : undefined));
  },
);
