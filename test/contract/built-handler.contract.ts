/** The contract of the port that makes a handler loadable again and again. Run against each adapter by `built-handler.test.ts`. */
import { symlink, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import type { Build, BuiltHandler } from "../../emulator/reload/bundler.ts";
import { temporaryTree, type TemporaryTree } from "../temporary-tree.ts";

/** @param open builds the handler at `path`, with its output in `folder` */
export function builtHandlerContract(
  name: string,
  open: (path: string, folder: string) => BuiltHandler,
): void {
  const opened = (tree: TemporaryTree, file: string) => {
    const handler = open(tree.path(file), tree.path("made"));
    return { handler, [Symbol.asyncDispose]: () => handler.close() };
  };

  describe(`handlers built with ${name}`, () => {
    test("TypeScript becomes a module that Node can import, with a new name for each build", async () => {
      await using tree = await temporaryTree({
        "handler.ts": `import { word } from "./word.ts";\nexport default (): string => word;`,
        "word.ts": `export const word: string = "one";`,
      });
      await using built = opened(tree, "handler.ts");
      const first = await built.handler.build();
      expect(await answerOf(first)).toBe("one");
      expect([...first.files].toSorted()).toEqual([tree.path("handler.ts"), tree.path("word.ts")]);
      await writeFile(tree.path("word.ts"), `export const word: string = "two";`);
      expect(await answerOf(await built.handler.build())).toBe("two");
      expect(await answerOf(first)).toBe("one");
    });

    test.each([
      ["TypeScript", "handler.ts", "word.ts"],
      ["JavaScript", "handler.mjs", "word.mjs"],
    ])(
      "the fingerprint of %s changes with what is loaded, and with nothing else",
      async (_, file, word) => {
        await using tree = await temporaryTree({
          "package.json": "{}",
          [file]: `import { word } from "./${word}";\nimport data from "./data.json" with { type: "json" };\nexport default () => word + data;`,
          [word]: `export const word = "one";`,
          "data.json": `"1"`,
          "unused.mjs": "",
        });
        await using built = opened(tree, file);
        const next = async (changed: string, text: string) => {
          await writeFile(tree.path(changed), text);
          const build = await built.handler.build();
          return build.isBuilt ? build.fingerprint : "none";
        };
        const first = await next("unused.mjs", "1");
        expect(await next("unused.mjs", "2")).toBe(first);
        expect(await next("data.json", `"1"`)).toBe(first);
        const others = [
          await next("data.json", `"2"`),
          await next(word, `export const word = "two";`),
          await next("package.json", `{ "imports": {} }`),
        ];
        expect(new Set([first, ...others]).size).toBe(4);
      },
    );

    test("JavaScript is imported in place, and its imports are known", async () => {
      await using tree = await temporaryTree({
        "handler.mjs": `import { word } from "./word.mjs";\nexport default () => word;`,
        "word.mjs": `export const word = "one";`,
      });
      await using built = opened(tree, "handler.mjs");
      const build = await built.handler.build();
      expect(build).toMatchObject({ isBuilt: true, modulePath: tree.path("handler.mjs") });
      expect([...build.files].toSorted()).toEqual([
        tree.path("handler.mjs"),
        tree.path("word.mjs"),
      ]);
    });

    test.each(["ts", "mjs"])(
      "the threads and processes of a handler in .%s are known, and of TypeScript bundled",
      async (ending) => {
        const files = [`handler.${ending}`, `threads/w.${ending}`, `word.${ending}`] as const;
        const [handler, thread, word] = files;
        await using tree = await temporaryTree({
          [handler]: `import { Worker } from "node:worker_threads";
          import { once } from "node:events";
          export default async () => (await once(new Worker(new URL("./threads/w.${ending}", import.meta.url)), "message"))[0];`,
          [thread]: `import { parentPort } from "node:worker_threads";
          import { word } from "../${word}";
          parentPort.postMessage(word);`,
          [word]: `export const word = "one";`,
        });
        await using built = opened(tree, handler);
        const first = await built.handler.build();
        expect(await answerOf(first)).toBe("one");
        expect([...first.files].toSorted()).toEqual(files.map((file) => tree.path(file)));
        await writeFile(tree.path(word), `export const word = "two";`);
        expect(await answerOf(await built.handler.build())).toBe("two");
        await writeFile(tree.path(thread), "const hello name;");
        const broken = await built.handler.build();
        expect(broken).toMatchObject({
          isBuilt: false,
          problems: [{ place: { file: tree.path(thread), line: 1 } }],
        });
      },
    );

    test("a handler behind a link is built from the files the link leads to", async () => {
      await using tree = await temporaryTree({ "real/handler.ts": "export default () => 1;" });
      await symlink(tree.path("real"), tree.path("linked"));
      await using built = opened(tree, "linked/handler.ts");
      const build = await built.handler.build();
      expect(build).toMatchObject({ isBuilt: true, sourcePath: tree.path("real/handler.ts") });
      expect([...build.files]).toEqual([tree.path("real/handler.ts")]);
    });

    test.each(["ts", "mjs"])("a syntax error in .%s is reported with its place", async (ending) => {
      const file = `handler.${ending}`;
      await using tree = await temporaryTree({ [file]: "export default () => 1;\n" });
      await using built = opened(tree, file);
      await built.handler.build();
      await writeFile(tree.path(file), "export default () => 1;\nconst hello name;\n");
      const broken = await built.handler.build();
      expect(broken).toMatchObject({
        isBuilt: false,
        problems: [{ place: { file: tree.path(file), line: 2 } }],
      });
      expect([...broken.files]).toEqual([tree.path(file)]);
    });

    test("after a failed build the files of the last good build are still known, and so are missing files", async () => {
      await using tree = await temporaryTree({
        "handler.ts": `import { word } from "./word";\nexport default () => word;`,
        "word.ts": `export const word = 1;`,
      });
      await using built = opened(tree, "handler.ts");
      await built.handler.build();
      await writeFile(tree.path("handler.ts"), `import "./other/gone.ts";\nexport default 1;`);
      const broken = await built.handler.build();
      expect(broken.isBuilt).toBe(false);
      expect(broken.files).toContain(tree.path("word.ts"));
      expect([...broken.missing]).toEqual([tree.path("other/gone")]);
    });

    test("a deleted handler fails to be built, and is built when it is back", async () => {
      await using tree = await temporaryTree({});
      await using built = opened(tree, "handler.ts");
      const gone = await built.handler.build();
      expect(gone.isBuilt).toBe(false);
      expect(gone.files).toContain(tree.path("handler.ts"));
      await writeFile(tree.path("handler.ts"), `export default () => "back";`);
      expect(await answerOf(await built.handler.build())).toBe("back");
    });

    test("a builder can be closed twice, and before anything was built", async () => {
      await using tree = await temporaryTree({ "handler.ts": "export default () => 1;" });
      await using built = opened(tree, "handler.ts");
      expect(await built.handler.build()).toMatchObject({ isBuilt: true });
      await built.handler.close();
      await using unused = opened(tree, "handler.ts");
      await unused.handler.close();
    });
  });
}

async function answerOf(build: Build): Promise<unknown> {
  if (!build.isBuilt) throw new Error(JSON.stringify(build.problems));
  const module: unknown = await import(pathToFileURL(build.modulePath).href);
  const { default: handler } = module as { readonly default: () => unknown };
  return handler();
}
