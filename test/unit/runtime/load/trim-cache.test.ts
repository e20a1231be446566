/** The directory of bundles stays bounded, and keeps bundles that a process may still load. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { prepareHandler } from "../../../../runtime/load/prepare-handler.ts";
import { trimCache } from "../../../../runtime/load/trim-cache.ts";
import { temporaryTree } from "../../../temporary-tree.ts";

const DAY_MS = 24 * 3_600_000;
const prepareModule = path.resolve(
  import.meta.dirname,
  "../../../../runtime/load/prepare-handler.ts",
);

/** Prepares a handler in a process of its own, which runs until it is killed. */
async function prepareElsewhere(file: string, cacheDir: string) {
  const program = `import { prepareHandler } from ${JSON.stringify(prepareModule)};
    const given = ${JSON.stringify({ file, cacheDir })};
    // Before its first output: its reader may end it at once.
    process.on("SIGTERM", () => process.exit(0));
    console.log((await prepareHandler(given.file, { cacheDir: given.cacheDir })).modulePath);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await once(child, "exit");
  };
  return { name: path.basename(said.toString().trim()), end };
}

/** Three old handlers, each prepared by a process that has ended. */
async function setScene() {
  const names = ["a.ts", "b.ts", "c.ts"];
  const texts = names.map((name): [string, string] => [
    name,
    `export default () => ${JSON.stringify(name)};`,
  ]);
  const tree = await temporaryTree(Object.fromEntries(texts));
  const cacheDir = tree.path("cache");
  const bundles: string[] = [];
  for (const name of names) {
    await fs.utimes(tree.path(name), new Date(0), new Date(0));
    const { name: bundle, end } = await prepareElsewhere(tree.path(name), cacheDir);
    await end("SIGKILL");
    bundles.push(bundle);
  }
  return {
    tree,
    cacheDir,
    bundles,
    /** Sets the last use of a bundle. */
    used: async (bundle: string, agoMs: number) => {
      const at = new Date(Date.now() - agoMs);
      await fs.utimes(path.join(cacheDir, `${bundle}.json`), at, at);
    },
    kept: async () => (await fs.readdir(cacheDir)).filter((name) => name.endsWith(".mjs")),
    [Symbol.asyncDispose]: () => tree[Symbol.asyncDispose](),
  };
}

test("bundles that were not used for 30 days are removed, with all their files", async () => {
  await using scene = await setScene();
  const [a = "", b = "", c = ""] = scene.bundles;
  await scene.used(a, 31 * DAY_MS);
  await scene.used(b, 29 * DAY_MS);
  await fs.mkdir(path.join(scene.cacheDir, a.replace(/mjs$/u, "programs")));
  await trimCache(scene.cacheDir);
  expect(await scene.kept()).toEqual([b, c]);
  const left = await fs.readdir(scene.cacheDir);
  expect(left.filter((name) => name.startsWith("a-") || name.startsWith(".in-use"))).toEqual([]);
  expect(left).toHaveLength(6);
});

test("the most recently used bundles stay if there is no room for all", async () => {
  await using scene = await setScene();
  const [a = "", b = "", c = ""] = scene.bundles;
  await scene.used(a, DAY_MS);
  await scene.used(b, 3 * DAY_MS);
  await scene.used(c, 2 * DAY_MS);
  const { size } = await fs.stat(path.join(scene.cacheDir, a));
  await trimCache(scene.cacheDir, { unusedForMs: 30 * DAY_MS, bytes: size * 2.5 });
  expect(await scene.kept()).toEqual([a, c]);
});

test("half-written files of a killed process are removed after a day", async () => {
  const bundle = "d-0123456789abcdef";
  await using tree = await temporaryTree({
    ...{ "a.mjs.1.partial": "", "b.mjs.2.partial": "", "c.programs/w.mjs": "" },
    ...{ [`${bundle}.mjs`]: "", [`${bundle}.programs/w.mjs`]: "" },
  });
  const yesterday = new Date(Date.now() - 25 * 3_600_000);
  for (const torn of ["a.mjs.1.partial", "c.programs"])
    await fs.utimes(tree.path(torn), yesterday, yesterday);
  await trimCache(tree.root);
  const left = [`${bundle}.mjs`, `${bundle}.programs`, "b.mjs.2.partial"];
  expect((await fs.readdir(tree.root)).toSorted()).toEqual(left.toSorted());
});

test("a bundle stays while a process that prepared it runs, be it new or reused", async () => {
  await using scene = await setScene();
  const [a = ""] = scene.bundles;
  const user = await prepareElsewhere(scene.tree.path("a.ts"), scene.cacheDir);
  expect(user.name).toBe(a);
  await scene.used(a, 31 * DAY_MS);
  const claims = (await fs.readdir(scene.cacheDir)).filter((name) => name.startsWith(".in-use"));
  const longAgo = new Date(Date.now() - 31 * DAY_MS);
  for (const name of claims) await fs.utimes(path.join(scene.cacheDir, name), longAgo, longAgo);
  for (const _ of ["once", "again"]) await trimCache(scene.cacheDir);
  expect(await scene.kept()).toContain(a);
  await user.end("SIGTERM");
  expect((await fs.readdir(scene.cacheDir)).filter((name) => name.startsWith(".in-use"))).toEqual(
    [],
  );
  await trimCache(scene.cacheDir);
  expect(await scene.kept()).not.toContain(a);
});

test("a use keeps a bundle, and a new build removes old ones", async () => {
  await using scene = await setScene();
  const [a = "", b = ""] = scene.bundles;
  const { tree, cacheDir } = scene;
  for (const bundle of [a, b]) await scene.used(bundle, 31 * DAY_MS);
  const again = await prepareHandler(tree.path("a.ts"), { cacheDir });
  expect(path.basename(again.modulePath)).toBe(a);
  await fs.writeFile(tree.path("c.ts"), "export default () => 'changed';");
  const { modulePath } = await prepareHandler(tree.path("c.ts"), { cacheDir });
  const kept = await scene.kept();
  expect(kept).toEqual(expect.arrayContaining([a, path.basename(modulePath)]));
  expect(kept).not.toContain(b);
});
