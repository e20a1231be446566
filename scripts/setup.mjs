// Prepares a fresh clone: installs the locked dependencies if they are missing or stale, then builds. Plain JavaScript for Node
// 20, because Node 24 comes with the installation.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const node24 = path.join(root, "node_modules/.bin/node");

/**
 * Compares npm's record of the installation with the lock file, entry by entry, because file times are wrong after a checkout.
 */
function installed() {
  const wanted = lockedVersions("package-lock.json");
  const present = lockedVersions("node_modules/.package-lock.json");
  if (wanted === undefined || present === undefined || !fs.existsSync(node24)) return false;
  for (const [name, entry] of wanted) {
    const optional = entry.optional === true || entry.devOptional === true || entry.peer === true;
    const version = present.get(name)?.version;
    if (version === undefined ? !optional : version !== entry.version) return false;
  }
  return true;
}

function lockedVersions(file) {
  try {
    const { packages } = JSON.parse(fs.readFileSync(path.join(root, file), "utf8"));
    return new Map(Object.entries(packages).filter(([name]) => name !== ""));
  } catch {
    return undefined;
  }
}

function fail(sentence) {
  console.error(`\nset-up failed: ${sentence}`);
  process.exit(1);
}

/** npm must not run on the Node inside node_modules, which `npm ci` is about to delete. */
function pathWithoutProjectBins() {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  return folders.filter((folder) => !folder.endsWith("node_modules/.bin")).join(path.delimiter);
}

function install() {
  console.log("set-up: installing the locked dependencies (npm ci), about 20 s");
  const env = { ...process.env, PATH: pathWithoutProjectBins() };
  const run = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    env,
    stdio: "inherit",
  });
  if (run.error) fail(`npm could not be started (${run.error.message}).`);
  if (run.status !== 0) fail("`npm ci` failed; see its message above.");
  if (!fs.existsSync(node24)) {
    fail(
      "`npm ci` left no node_modules/.bin/node. Its install script did not run: " +
        "check that `npm config get ignore-scripts` says false, delete node_modules and try again.",
    );
  }
}

function build() {
  const run = spawnSync(node24, ["scripts/build.ts"], { cwd: root, stdio: "inherit" });
  if (run.error) fail(`${node24} could not be started (${run.error.message}).`);
  if (run.status !== 0) fail("the build failed; see its message above.");
}

if (!installed()) install();
build();
