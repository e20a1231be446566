/** A handler's file becomes a module that Node can import, wherever it lies and in whatever language. */
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HandlerFileError } from "../../../../runtime/load/handler-file-error.ts";
import type { PreparedHandler } from "../../../../runtime/load/bundle-handler.ts";
import { prepareHandler } from "../../../../runtime/load/prepare-handler.ts";
import { WorkerRun } from "../worker-run.ts";

let root = "";
let cacheDir = "";

beforeAll(async () => {
  root = await fs.realpath(await fs.mkdtemp(path.join(os.tmpdir(), "sv-load-")));
  cacheDir = path.join(root, "cache");
});
afterAll(async () => {
  await fs.rm(root, { recursive: true });
});

async function write(file: string, content: string): Promise<string> {
  const full = path.join(root, file);
  await fs.mkdir(path.dirname(full), { recursive: true });
  await fs.writeFile(full, content);
  return full;
}

function prepare(target: string): Promise<PreparedHandler> {
  return prepareHandler(target, { cacheDir });
}

/** The handler's answer in a real handler process. */
async function answer(handler: string): Promise<unknown> {
  await using run = new WorkerRun(handler);
  const failed = run.source.initFailure.promise.then((failure) => ({ failed: failure }));
  const result = await Promise.race([run.source.submit().result(), failed]);
  return "output" in result ? result["output"] : result;
}

describe("a handler that needs no translation is imported unchanged", () => {
  test.each(["h.js", "h.mjs", "h.cjs"])("%s", async (name) => {
    const file = await write(`plain/${name}`, "export default () => 1;");
    expect(await prepare(file)).toEqual({ modulePath: file, sourcePath: file, inputs: [file] });
  });

  test("CommonJS handlers run", async () => {
    const file = await write(
      "cjs/handler.cjs",
      `module.exports = () => [typeof require("node:fs").readFileSync, module.exports.concurrency];
       module.exports.concurrency = 3;`,
    );
    expect(await answer(file)).toEqual(["function", 3]);
  });
});

describe("a directory of a handler", () => {
  test("means its handler.ts, or else its handler.js", async () => {
    await write("both/handler.js", "export default () => 'js';");
    expect(path.basename((await prepare(path.join(root, "both"))).sourcePath)).toBe("handler.js");
    await write("both/handler.ts", "export default () => 'ts';");
    expect(path.basename((await prepare(path.join(root, "both"))).sourcePath)).toBe("handler.ts");
  });

  test("without a handler file is refused", async () => {
    await write("empty/readme.md", "");
    const target = path.join(root, "empty");
    await expect(prepare(target)).rejects.toThrow(`${target} holds no handler`);
  });
});

describe("TypeScript", () => {
  test("with syntax that needs translation, in several files, finds the files beside its sources", async () => {
    await write("ts/nested/data.txt", "seven");
    await write(
      "ts/nested/read.ts",
      `#!/usr/bin/env node
       import fs from "node:fs";
       export enum Digit { Six = 6 }
       export const here = [import.meta.dirname, import.meta.filename, __dirname, __filename];
       export const word: string = fs.readFileSync(new URL("./data.txt", import.meta.url), "utf8");`,
    );
    const file = await write(
      "ts/handler.ts",
      `import { Digit, here, word } from "./nested/read";
       export default (): unknown => [Digit.Six, word, here, import.meta.filename];`,
    );
    const nested = path.join(root, "ts/nested");
    const read = path.join(nested, "read.ts");
    expect(await answer(file)).toEqual([6, "seven", [nested, read, nested, read], file]);
    const prepared = await prepare(file);
    expect(prepared.sourcePath).toBe(file);
    expect(prepared.inputs.toSorted()).toEqual([file, read]);
    expect(path.dirname(prepared.modulePath)).toBe(cacheDir);
    expect(await fs.readdir(path.join(root, "ts"))).toEqual(["handler.ts", "nested"]);
  });

  test("in a .tsx file leaves JSX to the module it names", async () => {
    const file = await write(
      "tsx/handler.tsx",
      `/** @jsx h */
       const h = (...parts: unknown[]): unknown => parts;
       export default () => <p id="a">text</p>;`,
    );
    expect(await answer(file)).toEqual(["p", { id: "a" }, "text"]);
  });

  test("imports packages from the directory of its source", async () => {
    await write(
      "project/node_modules/greeter/package.json",
      `{"name":"greeter","type":"module","exports":"./index.js"}`,
    );
    await write(
      "project/node_modules/greeter/index.js",
      `export const greeting = "hello from here";`,
    );
    const file = await write(
      "project/src/handler.ts",
      `import { greeting } from "greeter";
       export default async () => [greeting, (await import("greeter")).greeting];`,
    );
    expect(await answer(file)).toEqual(["hello from here", "hello from here"]);
  });

  test("outside a project can import sv-runtime, and a missing package is named", async () => {
    const file = await write(
      "alone/handler.ts",
      `import { chunk, defineHandler } from "sv-runtime";
       export default defineHandler(() => typeof chunk);`,
    );
    expect(await answer(file)).toBe("function");
    const lacking = await write(
      "alone/lacking.ts",
      `import x from "no-such-package"; export default () => x;`,
    );
    expect(await answer(lacking)).toMatchObject({
      failed: {
        message: expect.stringMatching(
          /^lacking\.ts cannot be imported: Cannot find package 'no-such-package'/u,
        ),
      },
    });
  });

  test("has errors with the line of the source", async () => {
    const file = await write(
      "traced/handler.ts",
      `// The first line.\nimport.meta.url;\nexport default (): void => {\n  throw new Error("here");\n};\n`,
    );
    expect(await answer(file)).toMatchObject({
      failure: { stack: expect.stringContaining(`${file}:4:`) },
    });
  });

  test("that cannot be built is refused with file, line and column of each error", async () => {
    const file = await write(
      "broken/handler.ts",
      `import "./gone.ts";\nexport default () => {\n  const = 7;\n};`,
    );
    await expect(prepare(file)).rejects.toThrow(HandlerFileError);
    await expect(prepare(file)).rejects.toThrow(
      `handler.ts cannot be built:\n${file}:3:9: Expected identifier but found "="`,
    );
    const lost = await write("broken/lost.ts", `import "./gone.ts";\nexport default () => 1;`);
    await expect(prepare(lost)).rejects.toThrow(`${lost}:1:8: Could not resolve "./gone.ts"`);
  });
});

describe("a bundle", () => {
  test("is reused until one of its inputs changes", async () => {
    const part = await write("again/part.ts", "export const part = 1;");
    const file = await write(
      "again/handler.ts",
      `import { part } from "./part.ts"; export default () => part;`,
    );
    const hourAgo = Date.now() / 1_000 - 3_600;
    for (const each of [part, file]) await fs.utimes(each, hourAgo, hourAgo);
    const first = await prepare(file);
    const before = await fs.stat(first.modulePath);
    expect(await prepare(file)).toEqual(first);
    expect((await fs.stat(first.modulePath)).mtimeMs).toBe(before.mtimeMs);
    await fs.writeFile(part, "export const part = 'two';");
    const second = await prepare(file);
    expect(second.modulePath).not.toBe(first.modulePath);
    expect(await answer(second.modulePath)).toBe("two");
    await fs.rm(part);
    await expect(prepare(file)).rejects.toThrow("Could not resolve");
  });

  test("is made again when its programs or its tsconfig.json change", async () => {
    const thread = await write("whole/w.ts", "enum Word { A = 'a' }\nexport const word = Word.A;");
    const config = await write("whole/tsconfig.json", "{}");
    const file = await write(
      "whole/handler.ts",
      `export default async () => (await import(new URL("./w.ts", import.meta.url).href)).word;`,
    );
    const hourAgo = Date.now() / 1_000 - 3_600;
    for (const each of [thread, config, file]) await fs.utimes(each, hourAgo, hourAgo);
    const first = await prepare(file);
    expect(await answer(first.modulePath)).toBe("a");
    expect(await prepare(file)).toEqual(first);
    await fs.writeFile(thread, "export const word: string = 'bb';");
    const second = await prepare(file);
    expect(await answer(second.modulePath)).toBe("bb");
    expect(await answer(first.modulePath)).toBe("a");
    await fs.writeFile(config, '{"compilerOptions": {"strict": true}}');
    await fs.utimes(thread, hourAgo, hourAgo);
    expect((await prepare(file)).inputs).toContain(config);
  });

  test("can be given instead of its source", async () => {
    const file = await write("given/handler.mts", `export default () => import.meta.filename;`);
    const prepared = await prepare(file);
    expect(await prepare(prepared.modulePath)).toEqual(prepared);
    expect(await answer(prepared.modulePath)).toBe(file);
  });

  test("needs a writable directory", async () => {
    const file = await write("cold/handler.ts", "export default () => 1;");
    const taken = await write("cold/taken", "a file");
    await expect(prepareHandler(file, { cacheDir: path.join(taken, "cache") })).rejects.toThrow(
      "which cannot be written",
    );
  });
});

test("a file of another kind is refused", async () => {
  const file = await write("other/handler.py", "print()");
  await expect(prepare(file)).rejects.toThrow("its name must end in .ts");
  await expect(prepare(path.join(root, "nowhere"))).rejects.toThrow(
    "There is no file or directory",
  );
});
