/** The built `sv-emulate init` in a terminal with a person who answers. */
import { once } from "node:events";
import fs from "node:fs";
import { expect, test } from "vitest";
import { temporaryTree, type TemporaryTree } from "../../temporary-tree.ts";
import { program } from "../emulator-process.ts";
import { spawnInTerminal } from "./terminal.ts";

/** Types keys each time the words before them appear; resolves with the exit code and the last screen. */
async function converse(
  tree: TemporaryTree,
  args: readonly string[],
  dialogue: readonly (readonly [words: string, keys: string])[],
): Promise<{ readonly code: number; readonly shown: string }> {
  const { PATH, HOME } = process.env;
  const command = [process.execPath, program, "init", ...args];
  const terminal = spawnInTerminal(command, { cwd: tree.root, env: { PATH, HOME } });
  await using _ = { [Symbol.asyncDispose]: async () => void terminal.kill() };
  const left = [...dialogue];
  let shown = "";
  terminal.stdout.setEncoding("utf8").on("data", (piece: string) => {
    shown += piece;
    const [next] = left;
    if (next === undefined || !shown.includes(next[0])) return;
    left.shift();
    shown = "";
    terminal.stdin.write(next[1]);
  });
  const [code] = (await once(terminal, "close")) as [number];
  return { code, shown };
}

test("init asks for each choice without a flag, and the project follows the answers", async () => {
  await using tree = await temporaryTree({});
  const { code, shown } = await converse(
    tree,
    ["--template", "openai-chat"],
    [
      ["What is it called?", "chat\r"],
      ["Git repository?", "n"],
      ["packages now?", "n"],
    ],
  );
  expect(code).toBe(0);
  expect(shown).toContain("Created chat (starter: openai-chat). Next:");
  expect(fs.existsSync(tree.path("chat/handler.ts"))).toBe(true);
});

test("Ctrl-C at a question ends init, which writes nothing", async () => {
  await using tree = await temporaryTree({});
  const { code, shown } = await converse(tree, ["chat"], [["Which starter?", "\u0003"]]);
  expect(code).toBe(130);
  expect(shown).toContain("Nothing was written.");
  expect(fs.readdirSync(tree.root)).toEqual([]);
});

test("init --yes asks nothing in a terminal", async () => {
  await using tree = await temporaryTree({});
  expect((await converse(tree, ["chat", "--yes"], [])).code).toBe(0);
  expect(fs.existsSync(tree.path("chat/handler.ts"))).toBe(true);
});
