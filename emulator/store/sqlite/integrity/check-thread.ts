/** The program of the thread that looks for damage, so that nobody has to wait for it; see `data-check.ts`. */
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import { findDamage, type FoundDamage } from "./find-damage.ts";

/** @param file the database, which nobody writes meanwhile: it is read without a look at its locks and its log */
function look(file: string): FoundDamage {
  const url = pathToFileURL(file);
  url.searchParams.set("immutable", "1");
  using db = new DatabaseSync(url, { readOnly: true });
  return findDamage(db, path.dirname(file));
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- it is no window's
parentPort?.postMessage(look(String(workerData)));
