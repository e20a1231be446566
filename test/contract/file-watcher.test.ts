/** Runs the contract of file watchers against its adapter. */
import { writeFile } from "node:fs/promises";
import { type FSWatcher, watch } from "chokidar";
import { expect, test } from "vitest";
import type { FileWatcherEvents } from "../../emulator/reload/file-watcher.ts";
import { ChokidarWatcher } from "../../emulator/reload/chokidar-watcher.ts";
import { temporaryTree } from "../temporary-tree.ts";
import { fileWatcherContract } from "./file-watcher.contract.ts";

fileWatcherContract("chokidar", (events) => new ChokidarWatcher(events));

/** The case of `/mnt/c` in WSL 2. */
const polling = (events: FileWatcherEvents) =>
  new ChokidarWatcher(events, { typeOf: async () => 0x0102_1997 });
fileWatcherContract("chokidar, where nothing tells of changes", polling, true);

/** A watcher that cannot watch any more files, unless it polls. */
const limited = (events: FileWatcherEvents) =>
  new ChokidarWatcher(events, {
    open(directory, options) {
      const watcher = watch(directory, options);
      const error = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
      if (options.usePolling !== true) process.nextTick(() => watcher.emit("error", error));
      return watcher;
    },
  });
fileWatcherContract("chokidar, where no more files can be watched", limited, true);

test.each([
  ["ENOSPC", "fs.inotify.max_user_watches"],
  ["EMFILE", "ulimit -n"],
])("a watcher that meets a limit later (%s) polls from then on", async (code, limit) => {
  await using tree = await temporaryTree({ "a/b.ts": "1" });
  const opened: FSWatcher[] = [];
  const said: string[] = [];
  const changed = Promise.withResolvers<string>();
  const watcher = new ChokidarWatcher(
    {
      changed: (path) => changed.resolve(path),
      failed: (reason) => said.push(reason),
      polls: (reason) => said.push(reason),
    },
    {
      open(directory, options) {
        const made = watch(directory, options);
        opened.push(made);
        return made;
      },
    },
  );
  await watcher.watch(new Set([tree.path("a")]));
  const error = Object.assign(new Error("no more"), { code });
  for (let time = 0; time < 3; time++) opened[0]?.emit("error", error);
  await watcher.watch(new Set([tree.path("a")]));
  expect(opened.map(({ options }) => options.usePolling)).toEqual([false, true]);
  expect(said).toEqual([expect.stringContaining(limit)]);
  await writeFile(tree.path("a/b.ts"), "22");
  expect(await changed.promise).toBe(tree.path("a/b.ts"));
  await watcher.close();
});
