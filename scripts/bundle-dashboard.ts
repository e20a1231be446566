/** Bundles the dashboard for browsers: one entry, and parts that are loaded on demand. */
import fs from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { licencesOf } from "./package-licences.ts";

const SOURCE = "emulator/dashboard";

/** Browsers of the last two years; the styles need them too (`light-dark()`). */
const TARGETS = ["chrome123", "firefox121", "safari17.5"];

/** @param root of the project, @param folder of the build */
export async function bundleDashboard(root: string, folder: string): Promise<void> {
  const outdir = path.join(folder, SOURCE);
  const { metafile } = await build({
    entryPoints: [{ in: path.join(root, SOURCE, "main.tsx"), out: "main" }],
    absWorkingDir: root,
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: TARGETS,
    tsconfig: path.join(root, SOURCE, "tsconfig.json"),
    minify: true,
    charset: "utf8",
    legalComments: "none",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    logLevel: "warning",
    metafile: true,
  });
  const page = fs.readFileSync(path.join(root, SOURCE, "page.html"), "utf8");
  const names = Object.entries(metafile.outputs)
    .filter(([, { entryPoint }]) => entryPoint?.endsWith("main.tsx") === true)
    .flatMap(([file, { cssBundle }]) => [file, ...(cssBundle === undefined ? [] : [cssBundle])])
    .map((file) => path.basename(file));
  fs.writeFileSync(path.join(outdir, "page.html"), names.reduce(named, page));
  const inputs = Object.keys(metafile.inputs).map((input) => path.join(root, input));
  fs.writeFileSync(path.join(outdir, "packages.licences.txt"), licencesOf(inputs));
}

/** The names of the files change with their content. */
function named(page: string, file: string): string {
  const plain = file.replace(/-[^-.]+(?=\.\w+$)/u, "");
  if (!page.includes(`"ui/${plain}"`)) throw new Error(`the page does not refer to ${plain}`);
  return page.replace(`"ui/${plain}"`, `"ui/${file}"`);
}
