/** Other builds of sv-runtime: the next version, and an earlier one. */
import fs from "node:fs";
import path from "node:path";
import { SCHEMA_VERSION } from "../../../emulator/store/postgres/schema.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";
import { program } from "../emulator-process.ts";

const DIST = path.resolve(path.dirname(program), "../..");
/** Text of the version in bundles. */
const MIGRATIONS = /MIGRATIONS\d* = \[\]/u;

export interface Build extends Disposable {
  /** The program that starts its emulator. */
  readonly program: string;
}

/** An earlier version with its `dist` in this folder. */
export function formerBuild(dist: string): Build {
  return copyOf(path.resolve(dist), (text) => text);
}

/**
 * This source with another version and one more migration.
 * @param isReadable whether this source can read the database after the migration goes on with the migration
 */
export function nextBuild(isReadable: boolean): Build {
  return copyOf(DIST, (text) => {
    const [known] = MIGRATIONS.exec(text) ?? [];
    if (known === undefined) throw new Error("the list of migrations was not found in the build");
    const readableBy = isReadable ? SCHEMA_VERSION : SCHEMA_VERSION + 1;
    const migration = `{ sql: "ALTER TABLE job ADD COLUMN mood text", readableBy: ${readableBy} }`;
    return text
      .replace(known, known.replace("[", `[${migration}`))
      .replaceAll(/RUNTIME_VERSION = "[^"]+"/gu, 'RUNTIME_VERSION = "9.0.0"');
  });
}

function copyOf(dist: string, change: (service: string) => string): Build {
  const home = temporaryDirectory();
  const root = path.dirname(DIST);
  fs.cpSync(dist, path.join(home.path, "dist"), { recursive: true });
  for (const name of ["package.json", "node_modules"])
    fs.symlinkSync(path.join(root, name), path.join(home.path, name));
  const service = path.join(home.path, "dist/emulator/service.cjs");
  fs.writeFileSync(service, change(fs.readFileSync(service, "utf8")));
  return {
    program: path.join(home.path, "dist", path.relative(DIST, program)),
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
}
