/** Only the programs that a source starts are bundled, not every file that it names. */
import { expect, test } from "vitest";
import { type Programs, withPrograms } from "../../../../runtime/load/programs.ts";
import { temporaryTree } from "../../../temporary-tree.ts";

async function rewritten(source: string) {
  await using tree = await temporaryTree({
    ...{ "w.ts": "", "plain.js": "", "sub/w.worker.mts": "", "data.json": "", "lib/index.ts": "" },
  });
  const programs: Programs = new Map();
  const code = withPrograms(source, tree.path("handler.ts"), (file) => file, programs);
  const names = Array.from(programs.keys(), (file) => file.slice(tree.root.length + 1));
  return { code, names };
}

test.each([
  [`new Worker(new URL("./w.ts", import.meta.url))`, "w.ts"],
  ["const file = new URL(`./w`, import.meta.url);", "w.ts"],
  [`new Worker(new URL("w.js", import.meta.url), { name: "w" })`, "w.ts"],
  [`new Piscina({ filename: new URL("./w.ts", import.meta.url).href })`, "w.ts"],
  [`fork(fileURLToPath(new URL("./plain.js", import.meta.url)))`, "plain.js"],
  [`spawn(process.execPath, [path.join(__dirname, "sub", "w.worker.mjs")])`, "sub/w.worker.mts"],
  [`fork(resolve(import.meta.dirname, './sub', 'w.worker'))`, "sub/w.worker.mts"],
  [`pool(__dirname + "/w.js")`, "w.ts"],
  ["pool(`${__dirname}/w.ts`)", "w.ts"],
  [`import.meta.resolve("./w.ts")`, "w.ts"],
  [`fork(__filename)`, "handler.ts"],
  [`new threads.Worker(fileURLToPath(import.meta.url))`, "handler.ts"],
])("a program: %s", async (source, program) => {
  expect((await rewritten(source)).names).toEqual([program]);
});

test.each([
  `readFileSync(new URL("./w.ts", import.meta.url))`,
  `await readFile(join(__dirname, "w.ts"), "utf8")`,
  `const client = new URL("./plain.js", import.meta.url);`,
  `new URL("./data.json", import.meta.url)`,
  `new URL("./gone.ts", import.meta.url)`,
  `new URL("https://example.com/w.ts", import.meta.url)`,
  `require.resolve("w")`,
  `import.meta.resolve("lib")`,
  `new Worker(new URL("./lib", import.meta.url))`,
  `basename(__filename)`,
])("no program: %s", async (source) => {
  expect(await rewritten(source)).toEqual({ code: source, names: [] });
});

test("lines keep their numbers", async () => {
  const { code } = await rewritten(`start(new URL(\n  "./w.ts",\n  import.meta.url,\n));\nlast();`);
  expect(code.split("\n")).toHaveLength(5);
  expect(code).toMatch(
    /^start\(new URL\("w-[0-9a-f]{8}\.mjs",__svPrograms\)\n\n\n\);\nlast\(\);$/u,
  );
});
