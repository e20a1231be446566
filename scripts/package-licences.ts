/** Collects the licences of bundled packages, which must be distributed with a bundle. */
import fs from "node:fs";
import path from "node:path";

/** @param files of the bundle, also those outside of `node_modules` */
export function licencesOf(files: readonly string[]): string {
  const inPackage = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/u;
  const roots = new Set(files.flatMap((file) => inPackage.exec(file)?.[0] ?? []));
  return [...roots]
    .toSorted()
    .map(licenceOf)
    .join(`\n${"-".repeat(80)}\n\n`);
}

function licenceOf(root: string): string {
  const manifest = fs.readFileSync(path.join(root, "package.json"), "utf8");
  const { name, version, license } = JSON.parse(manifest) as Record<string, string>;
  const file = fs.readdirSync(root).find((entry) => /^licen[cs]e/iu.test(entry));
  const text = file === undefined ? "" : `\n${fs.readFileSync(path.join(root, file), "utf8")}`;
  return `${name} ${version}, ${license}\n${text}`;
}
