/** Runs the contract of file watchers against its adapter. */
import type { FileWatcherEvents } from "../../emulator/reload/file-watcher.ts";
import { ChokidarWatcher } from "../../emulator/reload/chokidar-watcher.ts";
import { fileWatcherContract } from "./file-watcher.contract.ts";

fileWatcherContract("chokidar", (events) => new ChokidarWatcher(events));

/** The case of `/mnt/c` in WSL 2. */
const polling = (events: FileWatcherEvents) => new ChokidarWatcher(events, async () => 0x0102_1997);
fileWatcherContract("chokidar, where nothing tells of changes", polling, true);
