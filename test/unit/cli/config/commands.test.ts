/** Commands in a config: their form, their working directory, and refusals. */
import { expect, test } from "vitest";
import { configReport } from "../../../../emulator/cli/config/config-report.ts";
import { settleSourced } from "../../../../emulator/cli/serve/settings.ts";
import { gatherStartOptions } from "../../../../emulator/cli/serve/start-options.ts";
import { resolveTargets } from "../../../../emulator/cli/serve/targets.ts";
import { temporaryTree } from "../../../temporary-tree.ts";

async function complaint(cwd: string, ...targets: readonly string[]): Promise<string> {
  const error: unknown = await resolveTargets(targets, cwd).catch((reason: unknown) => reason);
  return error instanceof Error ? error.message : "";
}

test("a command runs in the config's directory, or in another existing one", async () => {
  const command = ["python", "handler.py"];
  const written = {
    a: { command },
    b: { command, cwd: "./b", workingDirectory: "shared", env: { MODE: "x" } },
  };
  await using tree = await temporaryTree({
    "conf/c.json": JSON.stringify({ endpoints: written }),
    "conf/b/": "",
  });
  const { commands } = await resolveTargets(["conf/c.json"], tree.root);
  expect(commands).toEqual([
    { id: "a", command, cwd: tree.path("conf"), settings: {} },
    {
      id: "b",
      command,
      cwd: tree.path("conf/b"),
      workingDirectory: "shared",
      env: { MODE: "x" },
      settings: {},
    },
  ]);
});

test("workingDirectory is for commands only", async () => {
  const endpoint = { image: "a/b:1", workingDirectory: "shared" };
  await using tree = await temporaryTree({
    "c.json": JSON.stringify({ endpoints: { a: endpoint } }),
  });
  expect(await complaint(tree.root, "c.json")).toContain(
    "endpoints.a.workingDirectory is for an endpoint with a command",
  );
});

test.each([
  ["nowhere", "nowhere does not exist"],
  ["c.json", "c.json is no directory"],
])("a command cannot run in %s", async (cwd, problem) => {
  const endpoint = { command: ["x"], cwd };
  await using tree = await temporaryTree({
    "c.json": JSON.stringify({ endpoints: { a: endpoint } }),
  });
  expect(await complaint(tree.root, "c.json")).toBe(`c.json:1:42: endpoints.a.cwd: ${problem}`);
});

test("a command is reported with its directory and the source of it", async () => {
  const command = ["python", "handler.py"];
  const endpoint = { command, cwd: "src", env: { API_KEY: "hush", DB_PASSWORD: "hush" } };
  const text = JSON.stringify({ endpoints: { a: endpoint } }, undefined, 1);
  await using tree = await temporaryTree({ "c.json": text, "src/": "" });
  const inputs = await gatherStartOptions({ targets: ["c.json"], flags: {} }, tree.root, {});
  const settings = settleSourced({}, {}, inputs.configs, tree.root);
  const rows = configReport(inputs, settings, tree.root)["endpoints.a"];
  expect(rows).toContainEqual({ key: "command", value: command, source: "c.json:4:15" });
  expect(rows).toContainEqual({ key: "cwd", value: "src", source: "c.json:8:11" });
  expect(JSON.stringify(rows)).not.toContain("hush");
});
