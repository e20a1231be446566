/** The calls that a start in a terminal prints work as they stand, for each example and each handler of a starter. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { curlIsMissing } from "../../setup/curl.ts";
import { testInFull } from "../../setup/size.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { program } from "../emulator-process.ts";
import { spawnInTerminal } from "./terminal.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const NAMES = /^([\w-]+)\r?\n {2}(curl .*?)\r?$/gmu;

/** Runs the call that is printed for each endpoint of the directory as a person would paste it; returns its answer. */
async function answers(cwd: string, directory: string): Promise<ReadonlyMap<string, unknown>> {
  const terminal = spawnInTerminal(
    [process.execPath, program, directory, "--port", "0", "--s3-port", "0", "--ephemeral"],
    { cwd, env: { PATH: process.env["PATH"], SV_API_KEY: "typed-key" } },
  );
  await using _ = { [Symbol.asyncDispose]: async () => void terminal.kill() };
  const closed = once(terminal, "close");
  let text = "";
  const count = fs.globSync("*/{handler,server}.*", { cwd: path.resolve(cwd, directory) }).length;
  const printed = Promise.withResolvers<readonly RegExpMatchArray[]>();
  terminal.stdout.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    const found = [...stripVTControlCharacters(text).matchAll(NAMES)];
    if (found.length === count) printed.resolve(found);
  });
  const missing = closed.then(() => {
    throw new Error(`not all calls were printed:\n${text}`);
  });
  const found = await Promise.race([printed.promise, missing]);
  const ran = found.map(async ([, name = "", command = ""]): Promise<[string, unknown]> => {
    const { stdout } = await promisify(execFile)("/bin/sh", ["-c", command]);
    return [name, JSON.parse(stdout)];
  });
  const all = new Map(await Promise.all(ran));
  terminal.stdin.write("\u0003");
  await Promise.allSettled([closed, missing]);
  return all;
}

const COMPLETED = expect.objectContaining({ status: "COMPLETED" });
const CHAT = expect.objectContaining({ object: "chat.completion" });
const SERVER = expect.objectContaining({ worker: expect.any(String) });

describe.skipIf(curlIsMissing !== undefined)("printed calls", () => {
  testInFull("of the examples work", async () => {
    expect(Object.fromEntries(await answers(root, "examples"))).toEqual({
      hello: COMPLETED,
      "http-server": SERVER,
      "openai-chat": CHAT,
      thumbnails: COMPLETED,
      tokens: COMPLETED,
    });
  });

  test("of the starters work", async () => {
    await using tree = await temporaryTree({ "node_modules/none": "" });
    const starters = ["hello", "image-to-s3", "load-balanced", "openai-chat", "stream-tokens"];
    for (const name of starters) {
      const from = path.join(root, "templates", name);
      const isWanted = (file: string) =>
        !/\.test\.ts$|package\.json$|sv\.config\.json$/u.test(file);
      fs.cpSync(from, tree.path("all", name), { recursive: true, filter: isWanted });
    }
    fs.symlinkSync(root, tree.path("node_modules/sv-runtime"));
    for (const name of ["zod", "sharp"])
      fs.symlinkSync(path.join(root, "node_modules", name), tree.path("node_modules", name));
    expect(Object.fromEntries(await answers(tree.root, "all"))).toEqual({
      hello: COMPLETED,
      "image-to-s3": COMPLETED,
      "load-balanced": SERVER,
      "openai-chat": CHAT,
      "stream-tokens": COMPLETED,
    });
  });

  test("made from a handler's schema work", async () => {
    await using tree = await temporaryTree({
      "all/greets/handler.ts": `import { defineHandler } from "sv-runtime";
import { z } from "zod";
export default defineHandler({
  input: z.object({ name: z.string().min(8), times: z.int().min(2), loud: z.boolean().optional() }),
  run: ({ input: { name, times } }) => name.repeat(times),
});
`,
      "all/plain/handler.js": "export default () => 1;",
      "node_modules/none": "",
    });
    fs.symlinkSync(root, tree.path("node_modules/sv-runtime"));
    fs.symlinkSync(path.join(root, "node_modules/zod"), tree.path("node_modules/zod"));
    expect(Object.fromEntries(await answers(tree.root, "all"))).toEqual({
      greets: expect.objectContaining({ status: "COMPLETED", output: "namexxxxnamexxxx" }),
      plain: COMPLETED,
    });
  });
});
