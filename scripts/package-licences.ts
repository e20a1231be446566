/** Licences of packages in a bundle, which have to be distributed with it. */
import fs from "node:fs";
import path from "node:path";

/** @param files that went into the bundle, those outside `node_modules` included */
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
