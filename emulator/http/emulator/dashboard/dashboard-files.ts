/** Files of the dashboard from the build. */
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip as gzipWithCallback } from "node:zlib";

const gzip = promisify(gzipWithCallback);

const MEDIA_TYPES = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
} as const;

type Ending = keyof typeof MEDIA_TYPES;

export const PAGE = "page.html";

export interface DashboardFile {
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly zipped: Buffer;
}

/** All files are read once, at the first request. */
let files: Promise<ReadonlyMap<string, DashboardFile>> | undefined;

/**
 * Undefined for an unknown name.
 * @throws Error if the dashboard was not built
 */
export async function dashboardFile(name: string): Promise<DashboardFile | undefined> {
  files ??= readAll(folder());
  return (await files).get(name);
}

async function readAll(from: string): Promise<ReadonlyMap<string, DashboardFile>> {
  const names = (await readdir(from)).filter((name) => endingOf(name) !== undefined);
  const entries = names.map(async (name): Promise<[string, DashboardFile]> => {
    const bytes = await readFile(`${from}${name}`);
    const mediaType = MEDIA_TYPES[endingOf(name) ?? "js"];
    return [name, { mediaType, bytes, zipped: await gzip(bytes) }];
  });
  return new Map(await Promise.all(entries));
}

function endingOf(name: string): Ending | undefined {
  const ending = name.slice(name.lastIndexOf(".") + 1);
  return Object.hasOwn(MEDIA_TYPES, ending) ? (ending as Ending) : undefined;
}

/** Browsers need the built files: these are served even when the service runs from source. */
function folder(): string {
  const isBuilt = !import.meta.url.endsWith(".ts");
  const place = isBuilt ? "../../../dashboard/" : "../../../../dist/emulator/dashboard/";
  return fileURLToPath(new URL(place, import.meta.url));
}
