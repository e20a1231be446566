/** Program of the thread that has the database open. It answers questions in order. See `thread-link.ts`. */
import fs from "node:fs";
import { parentPort } from "node:worker_threads";
import { StoreLostError } from "../../../core/store-error.ts";
import { HOW_TO_GO_ON } from "../../../sqlite/row.ts";
import { fromSqlite } from "../../../sqlite/sqlite-error.ts";
import { databaseFile, openDatabase } from "../files/data-directory.ts";
import { answersOf } from "./answers.ts";
import { Tables } from "../tables/tables.ts";
import type { Opening, Question, Reply } from "./thread-link.ts";
import { toThrown } from "./thrown.ts";

const port = parentPort;
if (port === null) throw new Error("this program must run in a thread");

function reply(made: Reply, transferred: readonly ArrayBuffer[] = []): void {
  port?.postMessage(made, transferred);
}

/** Handles the next message. After the database is closed, another one can be opened. */
let hear: (message: Opening | Question) => void = open;

function open(message: Opening | Question): void {
  try {
    serve(message as Opening);
  } catch (error) {
    reply({ thrown: toThrown(error) });
    port?.close();
  }
}

function serve({ directory, isAgain }: Opening): void {
  // A database that existed must not be made again.
  if (isAgain && !fs.existsSync(databaseFile(directory)))
    throw new StoreLostError(`${databaseFile(directory)} is missing`);
  const opened = openDatabase(directory);
  const tables = new Tables(opened);
  // The last commit of the previous thread may not be on the disk yet.
  if (isAgain) opened.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const answers = answersOf(opened, tables) as Record<string, (...asked: unknown[]) => unknown>;
  hear = (message) => {
    const [name, ...asked] = message as Question;
    try {
      const answer = answers[name]?.(...asked);
      reply({ answer }, buffersOf(answer));
      if (name === "close") hear = open;
    } catch (error) {
      reply({ thrown: toThrown(fromSqlite(error, opened.file, HOW_TO_GO_ON)) });
    }
  };
  reply({ answer: tables.batch });
}

/** Returns buffers that are transferred without a copy, because nothing else refers to them. */
function buffersOf(answer: unknown): ArrayBuffer[] {
  const stored: unknown[] = Array.isArray(answer) ? answer : [answer];
  return stored.flatMap((one) =>
    typeof one === "object" && one !== null && "body" in one && one.body instanceof Uint8Array
      ? (one.body.buffer as ArrayBuffer)
      : [],
  );
}

port.on("message", (message: Opening | Question) => hear(message));
