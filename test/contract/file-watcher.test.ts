/** Runs the contract of watching files against its adapter. */
import { ChokidarWatcher } from "../../emulator/reload/chokidar-watcher.ts";
import { fileWatcherContract } from "./file-watcher.contract.ts";

fileWatcherContract("chokidar", (events) => new ChokidarWatcher(events));
