/** Endpoints from the targets of a command line, and messages about invalid targets. */
import { symlink } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { resolveTargets } from "../../../../emulator/cli/serve/targets.ts";
import { UsageError } from "../../../../emulator/cli/usage-error.ts";
import { temporaryTree } from "../../../temporary-tree.ts";

/** The handlers as `id: path from the root`. */
async function served(root: string, ...targets: string[]): Promise<Record<string, string>> {
  const { handlers } = await resolveTargets(targets, root);
  return Object.fromEntries(handlers.map(({ id, path }) => [id, path.slice(root.length + 1)]));
}

async function complaint(root: string, ...targets: string[]): Promise<string> {
  const error: unknown = await resolveTargets(targets, root).catch((reason: unknown) => reason);
  if (!(error instanceof UsageError)) throw new Error("no usage error", { cause: error });
  return error.message;
}

describe("a target of the command line", () => {
  test.each(["ts", "mts", "tsx", "js", "mjs", "cjs"])(
    "a file name.%s is the endpoint name",
    async (ending) => {
      await using tree = await temporaryTree({ [`a/upscale.${ending}`]: "" });
      const target = `a/upscale.${ending}`;
      expect(await served(tree.root, target)).toEqual({ upscale: target });
    },
  );

  test("a file named handler, or a directory with one, is an endpoint with the directory's name", async () => {
    await using tree = await temporaryTree({ "hello/handler.mts": "" });
    const expected = { hello: "hello/handler.mts" };
    expect(await served(tree.root, "hello/handler.mts")).toEqual(expected);
    expect(await served(tree.root, "hello")).toEqual(expected);
    expect(await served(tree.root, "./hello/")).toEqual(expected);
    expect(await served(tree.path("hello"), ".")).toEqual({ hello: "handler.mts" });
  });

  test("a file named server, or a directory with one and no handler, is a load balancing endpoint", async () => {
    await using tree = await temporaryTree({
      "chat/server.ts": "",
      "both/server.ts": "",
      "both/handler.ts": "",
      "sv.config.json": JSON.stringify({
        endpoints: {
          a: { handler: "chat" },
          b: { handler: "both" },
          c: { handler: "both", type: "LOAD_BALANCING" },
          d: { handler: "both/handler.ts", type: "LOAD_BALANCING" },
          e: { handler: "chat", type: "QUEUE" },
        },
      }),
    });
    const typed = async (...targets: string[]) => {
      const { handlers } = await resolveTargets(targets, tree.root);
      return handlers.map(({ id, path, type = "QUEUE" }) =>
        [id, path.slice(tree.root.length + 1), type].join(" "),
      );
    };
    expect(await typed("chat")).toEqual(["chat chat/server.ts LOAD_BALANCING"]);
    expect(await typed("chat/server.ts")).toEqual(["chat chat/server.ts LOAD_BALANCING"]);
    expect(await typed("both")).toEqual(["both both/handler.ts QUEUE"]);
    expect(await typed("sv.config.json")).toEqual([
      "a chat/server.ts LOAD_BALANCING",
      "b both/handler.ts QUEUE",
      "c both/server.ts LOAD_BALANCING",
      "d both/handler.ts LOAD_BALANCING",
      "e chat/server.ts QUEUE",
    ]);
  });

  test("a directory with a source and its compiled file is served from the source", async () => {
    await using tree = await temporaryTree({ "hello/handler.js": "", "hello/handler.ts": "" });
    expect(await served(tree.root, "hello")).toEqual({ hello: "hello/handler.ts" });
  });

  test("a directory of handler directories serves each, in order of name, and no other file", async () => {
    await using tree = await temporaryTree({
      "all/b/handler.js": "",
      "all/a/handler.ts": "",
      "all/notes/readme.md": "",
      "all/deep/er/handler.ts": "",
      "all/.hidden/handler.ts": "",
      "all/node_modules/handler.ts": "",
      "all/stray.ts": "",
    });
    const { handlers } = await resolveTargets(["all"], tree.root);
    expect(handlers).toEqual([
      { id: "a", path: tree.path("all/a/handler.ts") },
      { id: "b", path: tree.path("all/b/handler.js") },
    ]);
  });

  test("a linked directory counts, a broken link does not", async () => {
    await using tree = await temporaryTree({ "all/": "", "elsewhere/handler.ts": "" });
    await symlink(tree.path("elsewhere"), tree.path("all/linked"));
    await symlink(tree.path("gone"), tree.path("all/broken"));
    expect(await served(tree.root, "all")).toEqual({ linked: "all/linked/handler.ts" });
  });

  test("targets may be absolute and lie outside the current directory", async () => {
    await using tree = await temporaryTree({ "here/": "", "there/far.ts": "", "near.js": "" });
    const { handlers } = await resolveTargets(
      [tree.path("there/far.ts"), "../near.js"],
      tree.path("here"),
    );
    expect(handlers.map(({ path }) => path)).toEqual([
      tree.path("there/far.ts"),
      tree.path("near.js"),
    ]);
  });

  test("without targets the current directory is served", async () => {
    await using tree = await temporaryTree({ "one/handler.ts": "", "two/handler.ts": "" });
    expect(Object.keys(await served(tree.root))).toEqual(["one", "two"]);
    expect(await served(tree.path("one"))).toEqual({ one: "handler.ts" });
  });

  test("a handler named twice is served once", async () => {
    await using tree = await temporaryTree({ "all/a/handler.ts": "", "all/b/handler.ts": "" });
    const ids = Object.keys(await served(tree.root, "all", "all/a", "all/b/handler.ts"));
    expect(ids).toEqual(["a", "b"]);
  });
});

describe("configs among the targets", () => {
  const config = (handler: string, more = {}) =>
    JSON.stringify({ endpoints: { chosen: { handler, workersMax: 5, ...more } } });

  test("a config names its endpoints, with paths from its own directory", async () => {
    await using tree = await temporaryTree({
      "conf/any-name.json": config("../src/code.ts", { env: { MODE: "fast" } }),
      "src/code.ts": "",
    });
    const { handlers, configs } = await resolveTargets(["conf/any-name.json"], tree.root);
    expect(handlers).toEqual([
      {
        id: "chosen",
        path: tree.path("src/code.ts"),
        env: { MODE: "fast" },
        settings: { workersMax: 5 },
      },
    ]);
    expect(configs.map(({ file }) => file)).toEqual([tree.path("conf/any-name.json")]);
  });

  test("a config's handler may be a directory with a handler", async () => {
    await using tree = await temporaryTree({
      "c.json": config("hello"),
      "hello/handler.ts": "",
    });
    expect(await served(tree.root, "c.json")).toEqual({ chosen: "hello/handler.ts" });
  });

  test("a directory's sv.config.json precedes its handler, also one level down", async () => {
    await using tree = await temporaryTree({
      "all/a/sv.config.json": config("handler.ts"),
      "all/a/handler.ts": "",
    });
    const expected = { chosen: "all/a/handler.ts" };
    expect(await served(tree.root, "all/a")).toEqual(expected);
    expect(await served(tree.root, "all")).toEqual(expected);
    expect(await served(tree.path("all/a"))).toEqual({ chosen: "handler.ts" });
  });

  test.each(["ts", "mts", "js", "mjs", "json"])(
    "sv.config.%s is the config of a directory",
    async (ending) => {
      const text = config("a.ts");
      const file = ending === "json" ? text : `export default ${text};`;
      await using tree = await temporaryTree({ [`sv.config.${ending}`]: file, "a.ts": "" });
      expect(await served(tree.root)).toEqual({ chosen: "a.ts" });
    },
  );

  test("a file of another name is a config if the command line names it", async () => {
    await using tree = await temporaryTree({
      "sv.config.json": config("a.ts"),
      "sv.config.b.mts": `export default ${config("b.ts")};`,
      "a.ts": "",
      "b.ts": "",
    });
    expect(await served(tree.root, "sv.config.b.mts")).toEqual({ chosen: "b.ts" });
    expect(await served(tree.root)).toEqual({ chosen: "a.ts" });
  });

  test("two configs in one directory are refused", async () => {
    await using tree = await temporaryTree({ "a/sv.config.ts": "", "a/sv.config.json": "" });
    expect(await complaint(tree.root, "a")).toBe(
      "a has sv.config.ts and sv.config.json: keep one, or name the one to use",
    );
  });

  test("two endpoints with one id, one of an image, are refused", async () => {
    const image = '{"endpoints": {"a": {"image": "one"}}}';
    await using tree = await temporaryTree({ "1.json": image, "2.json": image, "a.ts": "" });
    expect(await complaint(tree.root, "1.json", "2.json")).toBe(
      "2.json: endpoints.a: another target is an endpoint of that id as well",
    );
    expect(await complaint(tree.root, "1.json", "a.ts")).toContain(
      '"a", which a config makes of a command or an image',
    );
    expect(await complaint(tree.root, "a.ts", "1.json")).toContain("endpoints.a: another target");
  });

  test("a config named twice counts once", async () => {
    await using tree = await temporaryTree({ "sv.config.json": config("a.ts"), "a.ts": "" });
    expect(await served(tree.root, ".", "sv.config.json")).toEqual({ chosen: "a.ts" });
  });

  test.each([
    ["./gone.ts", "c.json:1:35: endpoints.chosen.handler: gone.ts does not exist"],
    [
      "./code.tx",
      "c.json:1:35: endpoints.chosen.handler: code.tx does not exist; did you mean code.ts?",
    ],
    [
      "empty",
      "c.json:1:35: endpoints.chosen.handler: empty holds no handler; expected a file handler.ts",
    ],
    [
      "c.json",
      "c.json:1:35: endpoints.chosen.handler: c.json is no handler module; those end in .ts",
    ],
  ])(
    "a config's handler that cannot be served (%s) is named with its key and its place",
    async (handler, text) => {
      await using tree = await temporaryTree({
        "c.json": config(handler),
        "code.ts": "",
        "empty/": "",
      });
      expect(await complaint(tree.root, "c.json")).toContain(text);
    },
  );
});

describe("targets that cannot be served", () => {
  test.each([
    ["examples/helo", "examples/helo does not exist; did you mean examples/hello?"],
    ["examples/hello/handler", "did you mean examples/hello/handler.ts?"],
    ["exmples/hello", "exmples/hello does not exist; there is no directory exmples"],
    ["quite-different", "quite-different does not exist"],
    ["notes.txt", "notes.txt is no handler module; those end in .ts, .mts, .cts, .tsx, .js"],
    [
      "empty",
      "empty holds no handler; expected a file handler.ts or server.ts (or .mts, .cts, .tsx, .js, .mjs, .cjs)",
    ],
    ["notes.txt/x.ts", "notes.txt/x.ts does not exist"],
  ])("%s: %s", async (target, sentence) => {
    await using tree = await temporaryTree({
      "examples/hello/handler.ts": "",
      "notes.txt": "",
      "empty/": "",
    });
    expect(await complaint(tree.root, target)).toContain(sentence);
  });

  test("the message names the first wrong target", async () => {
    await using tree = await temporaryTree({ "a.ts": "" });
    expect(await complaint(tree.root, "a.ts", "x.ts", "y.ts")).toMatch(/^x\.ts does not exist/);
  });

  test("in a current directory without handlers the message asks for a target", async () => {
    await using tree = await temporaryTree({ "src/code.ts": "" });
    expect(await complaint(tree.root)).toMatch(/^no targets were given, .*; name a handler file/);
  });

  test.each([
    ["my model.ts", 'the endpoint "my model"', "rename the file"],
    ["über.ts", 'the endpoint "über"', "rename the file"],
    ["-dash.ts", 'the endpoint "-dash"', "rename the file"],
    ["a.test.ts", 'the endpoint "a.test"', "rename the file"],
    ["v1.0/handler.ts", 'the endpoint "v1.0"', "rename the directory"],
    ["pods.ts", 'the endpoint "pods", an id that is reserved: /live/v2/pods is', "rename the file"],
    ["catalog/server.ts", 'the endpoint "catalog", an id that is', "rename the directory"],
  ])("%s: the refusal of the name says what to rename", async (file, id, what) => {
    await using tree = await temporaryTree({ [file]: "" });
    const sentence = await complaint(tree.root, `./${file}`);
    expect(sentence).toContain(id);
    expect(sentence).toContain(what);
  });

  test("the message names both of two handlers with one id", async () => {
    await using tree = await temporaryTree({ "a/x.ts": "", "b/x/handler.js": "" });
    const sentence = await complaint(tree.root, "a/x.ts", "b");
    expect(sentence).toContain('the endpoint "x": a/x.ts and b/x/handler.js');
  });

  test("a handler named with a config's settings and again without them is refused", async () => {
    await using tree = await temporaryTree({
      "c.json": JSON.stringify({ endpoints: { a: { handler: "a.ts", workersMax: 1 } } }),
      "a.ts": "",
    });
    expect(await complaint(tree.root, "c.json", "a.ts")).toBe(
      'a.ts is named twice for the endpoint "a", with settings of its own in a config; name it once',
    );
  });
});
