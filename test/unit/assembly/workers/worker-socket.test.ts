/** The place of the workers' socket: its path fits, with real sockets of the maximum length. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { placeWorkerSocket } from "../../../../emulator/assembly/workers/worker-socket.ts";
import { sessionsOn } from "../../../../emulator/engine/workers/session/worker-session.ts";
import { WorkerServer } from "../../../../emulator/grpc/worker-server.ts";
import { temporaryDirectory } from "../../../setup/temporary-directory.ts";
import { createTestEngine } from "../../engine-harness.ts";

const FITS_BYTES = 103;

/** Creates a directory in which a file of that name has a path of this number of bytes; two of them are one letter. */
function directoryFor(root: string, name: string, lengthBytes: number): string {
  const missing = lengthBytes - Buffer.byteLength(path.join(root, "é", name));
  const directory = path.join(root, `é${"x".repeat(missing)}`);
  fs.mkdirSync(directory);
  expect(Buffer.byteLength(path.join(directory, name))).toBe(lengthBytes);
  return directory;
}

async function listenAt(address: string): Promise<void> {
  await using engine = await createTestEngine();
  const server = new WorkerServer({
    address,
    log: engine.engine.log,
    admit: () => Promise.reject(new Error("nobody comes")),
    openSession: sessionsOn(engine.engine),
  });
  try {
    await server.start();
  } finally {
    await server.stop();
  }
}

test("the socket lies in the directory of the run if its path fits to the last byte", async () => {
  using root = temporaryDirectory();
  await using made = new AsyncDisposableStack();
  const directory = directoryFor(root.path, "worker.sock", FITS_BYTES);
  const socket = await placeWorkerSocket(directory, made, "/nowhere");
  expect(socket).toBe(path.join(directory, "worker.sock"));
  await listenAt(`unix:${socket}`);
});

test("with one byte more the socket lies in a private directory with a short path, which goes with the run", async () => {
  using root = temporaryDirectory();
  const made = new AsyncDisposableStack();
  const directory = directoryFor(root.path, "worker.sock", FITS_BYTES + 1);
  const socket = await placeWorkerSocket(directory, made, root.path);
  const own = path.dirname(socket);
  expect(path.dirname(own)).toBe(root.path);
  expect(fs.statSync(own).mode & 0o777).toBe(0o700);
  await listenAt(`unix:${socket}`);
  await made.disposeAsync();
  expect(fs.existsSync(own)).toBe(false);
});

test("without a short directory the error has the path, its length, the limit and the remedy", async () => {
  using root = temporaryDirectory();
  await using made = new AsyncDisposableStack();
  const directory = directoryFor(root.path, "worker.sock", FITS_BYTES + 1);
  const failure = placeWorkerSocket(directory, made, path.join(root.path, "none"));
  await expect(failure).rejects.toThrow(
    `the path ${directory}/worker.sock has 104 bytes; the path of a unix socket may have at most 103; set TMPDIR to a shorter directory (ENOENT`,
  );
});

test("a port with a path that is too long is refused before anything is opened", async () => {
  using root = temporaryDirectory();
  const socket = path.join(directoryFor(root.path, "a.sock", FITS_BYTES + 1), "a.sock");
  await expect(listenAt(`unix://${socket}`)).rejects.toThrow(
    `the worker port cannot be opened: the path ${socket} has 104 bytes`,
  );
});
