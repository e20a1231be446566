/** Files of the documentation page: two of ours, and Swagger UI's, which the build puts beside them. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

export const PAGE_FILES = {
  "page.html": "text/html; charset=utf-8",
  "show.js": "text/javascript; charset=utf-8",
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
} as const;

export type PageFile = keyof typeof PAGE_FILES;

export function isPageFile(name: string): name is PageFile {
  return Object.hasOwn(PAGE_FILES, name);
}

export function readPageFile(name: PageFile): Promise<Buffer> {
  return readFile(placeOf(name));
}

function placeOf(name: PageFile): string {
  const isBuilt = !import.meta.url.endsWith(".ts");
  if (isBuilt || !name.startsWith("swagger-ui")) {
    return fileURLToPath(new URL(`./${name}`, import.meta.url));
  }
  return createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`);
}
