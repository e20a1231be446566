/** Program of the thread that looks for damage; see `data-check.ts`. */
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import { findDamage, type FoundDamage } from "./find-damage.ts";

/** @param file the database. It must not change meanwhile, because its locks and its log are not read. */
function look(file: string): FoundDamage {
  const url = pathToFileURL(file);
  url.searchParams.set("immutable", "1");
  using db = new DatabaseSync(url, { readOnly: true });
  return findDamage(db, path.dirname(file));
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- the port is not a window
parentPort?.postMessage(look(String(workerData)));
