/** Compiles runtime/ and emulator/ into dist/. Does nothing if dist/ already matches its inputs. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { bundleDashboard } from "./bundle-dashboard.ts";
import { bundleEmulator } from "./bundle-emulator.ts";
import { bundleImage } from "./bundle-image.ts";
import { bundlePackages } from "./bundle-packages.ts";
import { bundlePrograms } from "./bundle-programs.ts";
import { copySwaggerUi } from "./swagger-ui.ts";

const root = path.resolve(import.meta.dirname, "..");
const dist = path.join(root, "dist");
const stampFile = path.join(root, "node_modules/.cache/sv-runtime/build.stamp");
const sourceFolders = ["runtime", "emulator"];
const otherInputs = [
  "package.json",
  "tsconfig.json",
  "tsconfig.build.json",
  "scripts/build.ts",
  "package-lock.json",
  "scripts/bundle-dashboard.ts",
  "scripts/bundle-emulator.ts",
  "scripts/bundle-image.ts",
  "scripts/bundle-packages.ts",
  "scripts/bundle-programs.ts",
  "scripts/config-schema.ts",
  "scripts/package-licences.ts",
  "scripts/swagger-ui.ts",
];

/** The result of a build. `typeErrors` is the compiler's text; empty without errors. */
export interface BuildOutcome {
  readonly built: boolean;
  readonly typeErrors: string;
}

/**
 * Builds if an input has changed since the last build without errors. With type errors the JavaScript is still put in place,
 * but the next call builds again. @throws Error if the compiler wrote nothing
 */
export async function buildIfStale(): Promise<BuildOutcome> {
  const stamp = inputStamp();
  if (fs.existsSync(dist) && readIfThere(stampFile) === stamp) {
    return { built: false, typeErrors: "" };
  }
  fs.mkdirSync(path.dirname(stampFile), { recursive: true });
  // As deep as dist/ itself, because source maps name their sources relative to where they were written.
  const fresh = fs.mkdtempSync(path.join(root, ".dist-"));
  try {
    const typeErrors = compileInto(fresh);
    copyAssets(fresh);
    const packages = await bundlePrograms(fresh);
    await bundleImage(fresh, packages);
    await bundleEmulator(fresh);
    await bundlePackages(fresh);
    await bundleDashboard(root, fresh);
    // Imported here, so that an unchanged build need not wait for it.
    const { writeConfigSchema } = await import("./config-schema.ts");
    writeConfigSchema(fresh);
    copySwaggerUi(path.join(root, "node_modules"), fresh);
    markExecutables(fresh);
    mirror(fresh, dist);
    if (typeErrors === "") {
      fs.writeFileSync(stampFile, stamp);
    } else {
      fs.rmSync(stampFile, { force: true });
    }
    return { built: true, typeErrors };
  } finally {
    fs.rmSync(fresh, { recursive: true, force: true });
  }
}

/** A digest over path, size and time of every input; reading the contents would cost more than it saves. */
function inputStamp(): string {
  const hash = createHash("sha256");
  const inputs = [...otherInputs, ...sourceFolders.flatMap((folder) => filesUnder(root, folder))];
  for (const file of inputs.toSorted()) {
    const { size, mtimeMs } = fs.statSync(path.join(root, file));
    hash.update(`${file}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

function compileInto(folder: string): string {
  const tsc = path.join(root, "node_modules/typescript/bin/tsc");
  const args = [tsc, "-p", "tsconfig.build.json", "--outDir", folder, "--pretty", "false"];
  const run = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  if (run.status === 0) return "";
  if (fs.readdirSync(folder).length === 0) {
    throw new Error(`The compiler wrote nothing.\n${run.stdout}${run.stderr}`);
  }
  return run.stdout + run.stderr;
}

/** Files of the source folders that are not compiled (worker.proto, SQL) are read at run time, so they are copied. */
function copyAssets(folder: string): void {
  for (const file of sourceFolders.flatMap((source) => filesUnder(root, source))) {
    if (/\.[cm]?tsx?$/.test(file) || file.endsWith(".md")) continue;
    // The dashboard is bundled with its styles instead.
    if (file.startsWith("emulator/dashboard/")) continue;
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.copyFileSync(path.join(root, file), path.join(folder, file));
  }
}

function markExecutables(folder: string): void {
  const manifest = fs.readFileSync(path.join(root, "package.json"), "utf8");
  const { bin } = JSON.parse(manifest) as { bin: Record<string, string> };
  for (const target of Object.values(bin)) {
    const file = path.join(folder, path.relative("dist", target));
    if (fs.existsSync(file)) fs.chmodSync(file, 0o755);
  }
}

/** Replaces file by file, so that programs that run from dist/ never find it missing or incomplete. */
function mirror(from: string, to: string): void {
  const wanted = new Set(filesUnder(from, "."));
  for (const file of fs.existsSync(to) ? filesUnder(to, ".") : []) {
    if (!wanted.has(file)) fs.rmSync(path.join(to, file), { force: true });
  }
  for (const file of wanted) {
    const source = path.join(from, file);
    const target = path.join(to, file);
    if (fs.existsSync(target) && fs.readFileSync(source).equals(fs.readFileSync(target))) continue;
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.renameSync(source, target);
  }
}

function filesUnder(base: string, folder: string): string[] {
  const entries = fs.readdirSync(path.join(base, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(base, path.join(entry.parentPath, entry.name)));
}

function readIfThere(file: string): string | undefined {
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined;
}

async function main(): Promise<void> {
  const startedAt = performance.now();
  const { built, typeErrors } = await buildIfStale();
  if (typeErrors !== "") {
    console.error(`${typeErrors}\nThe build has type errors; see above.`);
    process.exitCode = 1;
  } else if (built) {
    console.log(`built dist/ in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();
