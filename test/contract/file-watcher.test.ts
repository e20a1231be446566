/** Runs the contract of file watchers against its adapter. */
import { watch } from "chokidar";
import type { FileWatcherEvents } from "../../emulator/reload/file-watcher.ts";
import { ChokidarWatcher } from "../../emulator/reload/chokidar-watcher.ts";
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
