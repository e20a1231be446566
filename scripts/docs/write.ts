/** `npm run docs`: writes the generated sections of the documentation anew. */
import { readFileSync, writeFileSync } from "node:fs";
import { PAGES, regenerated } from "./pages.ts";

for (const page of PAGES) {
  const file = new URL(`../../${page.file}`, import.meta.url);
  const before = readFileSync(file, "utf8");
  const after = await regenerated(page, before);
  if (after === before) continue;
  writeFileSync(file, after);
  console.log(`wrote ${page.file}`);
}
