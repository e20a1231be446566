/** Sends signals to the built `sv-emulate` while a job runs. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { temporaryTree } from "../../temporary-tree.ts";
import { startEmulatorProcess } from "../emulator-process.ts";
import { call } from "./call.ts";
import { sized } from "../../setup/size.ts";

/** A door that a handler waits at until the test opens it. */
async function makeDoor() {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const visitor = async () => {
    const [, response] = (await once(server, "request")) as [unknown, ServerResponse];
    return { open: () => response.end("opened") };
  };
  return {
    url: `http://127.0.0.1:${port}/`,
    /** Resolves with the next handler that arrives at the door. Call it before a handler can arrive. */
    visitor,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const WAITS = "export default async (job) => (await fetch(job.input.url)).text();";

test.each(sized<readonly NodeJS.Signals[]>(["SIGTERM"], ["SIGTERM", "SIGINT"]))(
  "the first %s lets the running job finish, and waiting jobs stay for the next start",
  async (signal) => {
    await using door = await makeDoor();
    await using tree = await temporaryTree({
      "sv.config.json": JSON.stringify({
        endpoints: { waits: { handler: "waits.js", workersMax: 1 } },
      }),
      "waits.js": WAITS,
    });
    await using emulator = await startEmulatorProcess({ cwd: tree.root });
    const visitor = door.visitor();
    const running = await call(emulator, "waits/run", { input: { url: door.url } });
    const { open } = await visitor;
    const waiting = await call(emulator, "waits/run", { input: { url: door.url } });
    emulator.child.kill(signal);
    await emulator.stderrMatch(/stopping: running jobs finish first/);
    open();
    expect(await emulator.exited).toEqual({ code: 0, signal: null });

    const next = door.visitor();
    await using again = await startEmulatorProcess({ cwd: tree.root });
    expect(await call(again, `waits/status/${String(running["id"])}`)).toMatchObject({
      status: "COMPLETED",
      output: "opened",
    });
    (await next).open();
    expect(await call(again, `waits/status-sync/${String(waiting["id"])}`)).toMatchObject({
      status: "COMPLETED",
    });
  },
);

test("a second signal stops the emulator at once, and the next start runs the interrupted job again", async () => {
  await using door = await makeDoor();
  await using tree = await temporaryTree({ "waits.js": WAITS });
  const options = { args: ["waits.js"], cwd: tree.root };
  await using emulator = await startEmulatorProcess(options);
  const visitor = door.visitor();
  const { id } = await call(emulator, "waits/run", { input: { url: door.url } });
  await visitor;
  emulator.child.kill("SIGINT");
  await emulator.stderrMatch(/stopping: running jobs finish first/);
  emulator.child.kill("SIGTERM");
  expect(await emulator.exited).toEqual({ code: 130, signal: null });
  expect(emulator.stderrLines.join("\n")).toContain("stopping at once");

  const next = door.visitor();
  await using again = await startEmulatorProcess(options);
  (await next).open();
  expect(await call(again, `waits/status-sync/${String(id)}`)).toMatchObject({
    status: "COMPLETED",
    output: "opened",
  });
});
