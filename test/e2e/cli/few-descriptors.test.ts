/** The built `sv-emulate` with few file descriptors. */
import net from "node:net";
import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { temporaryTree } from "../../temporary-tree.ts";
import { startEmulatorProcess } from "../emulator-process.ts";
import { call } from "./call.ts";

const UNDER = ["sh", "-c", 'ulimit -n 64 && exec "$@"', "sh"];
/** More than there are descriptors. */
const CONNECTIONS = 100;

test("an emulator whose descriptors are all taken goes on when some are free", async () => {
  await using tree = await temporaryTree({ "h/handler.js": "export default () => 1;" });
  await using emulator = await startEmulatorProcess({ args: ["h"], cwd: tree.root, under: UNDER });
  expect(await call(emulator, "h/runsync", { input: {} })).toMatchObject({ output: 1 });
  const { hostname, port } = new URL(emulator.url);
  const all = Array.from({ length: CONNECTIONS }, () => {
    const socket = net.connect(Number(port), hostname).on("error", () => undefined);
    socket.write("GET /readyz HTTP/1.1\r\n");
    return socket;
  });
  // Connections that find no descriptor are closed.
  await expect.poll(() => all.filter(({ closed }) => closed).length).toBeGreaterThan(0);
  await writeFile(tree.path("h/handler.js"), "export default () => 2;");
  for (const socket of all) socket.destroy();
  const output = () =>
    call(emulator, "h/runsync", { input: {} }).then(
      (job) => job["output"],
      () => undefined,
    );
  await expect.poll(output).toBeDefined();
  await writeFile(tree.path("h/handler.js"), "export default () => 3;");
  await expect.poll(output).toBe(3);
});
