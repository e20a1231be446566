/** The contract of the port that reports changes in directories. Run against each adapter by `file-watcher.test.ts`. */
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { FileWatcher, FileWatcherEvents } from "../../emulator/reload/file-watcher.ts";
import { temporaryTree } from "../temporary-tree.ts";

/** The reported paths, and a waiter for more. */
class Heard implements FileWatcherEvents {
  readonly paths: string[] = [];
  readonly failures: string[] = [];
  readonly polled: string[] = [];
  #look: (() => void) | undefined;

  changed(changed: string): void {
    this.paths.push(changed);
    this.#look?.();
  }

  failed(reason: string): void {
    this.failures.push(reason);
  }

  polls(reason: string): void {
    this.polled.push(reason);
  }

  /** Resolves when a path was reported `times` times since the last call of `forget`. */
  async of(changed: string, times = 1): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#look = () => {
      if (this.paths.filter((heard) => heard === changed).length >= times) resolve();
    };
    this.#look();
    await promise;
  }

  forget(): void {
    this.paths.length = 0;
  }
}

/** @param polls whether it polls the files, where the system reports no changes */
export function fileWatcherContract(
  name: string,
  open: (events: FileWatcherEvents) => FileWatcher,
  polls = false,
): void {
  describe(`watching files with ${name}`, () => {
    const watching = async (directories: readonly string[]) => {
      const heard = new Heard();
      const watcher = open(heard);
      await watcher.watch(new Set(directories));
      return { heard, watcher, [Symbol.asyncDispose]: () => watcher.close() };
    };

    test("created, changed and removed files of a directory are reported; unchanged ones are not", async () => {
      await using tree = await temporaryTree({ "a/old.ts": "1" });
      await using watch = await watching([tree.path("a")]);
      await writeFile(tree.path("a/old.ts"), "22");
      await watch.heard.of(tree.path("a/old.ts"));
      await writeFile(tree.path("a/new.ts"), "1");
      await watch.heard.of(tree.path("a/new.ts"));
      watch.heard.forget();
      await rm(tree.path("a/old.ts"));
      await watch.heard.of(tree.path("a/old.ts"));
      expect(watch.heard.failures).toEqual([]);
    });

    test("a file that is replaced by a rename is reported", async () => {
      await using tree = await temporaryTree({ "a/handler.ts": "1" });
      await using watch = await watching([tree.path("a")]);
      await writeFile(tree.path("a/handler.ts~"), "2");
      await rename(tree.path("a/handler.ts~"), tree.path("a/handler.ts"));
      await watch.heard.of(tree.path("a/handler.ts"));
      expect(watch.heard.failures).toEqual([]);
    });

    test("a save that moves the file aside, writes a new one and removes the old one is reported", async () => {
      await using tree = await temporaryTree({ "a/handler.ts": "1" });
      await using watch = await watching([tree.path("a")]);
      await rename(tree.path("a/handler.ts"), tree.path("a/handler.ts~"));
      await writeFile(tree.path("a/handler.ts"), "22");
      await rm(tree.path("a/handler.ts~"));
      await watch.heard.of(tree.path("a/handler.ts"));
      watch.heard.forget();
      await writeFile(tree.path("a/handler.ts"), "333");
      await watch.heard.of(tree.path("a/handler.ts"));
      expect(watch.heard.failures).toEqual([]);
    });

    test("a watcher that polls announces once that its reports are late", async () => {
      await using tree = await temporaryTree({ "a/x.ts": "1", "b/x.ts": "1" });
      await using watch = await watching([tree.path("a"), tree.path("b")]);
      expect(watch.heard.polled).toEqual(polls ? [expect.stringContaining(tree.path("a"))] : []);
    });

    test("changes below or beside the directories are not reported", async () => {
      await using tree = await temporaryTree({ "a/below/x.ts": "1", "b/x.ts": "1" });
      await using watch = await watching([tree.path("a")]);
      await writeFile(tree.path("a/below/x.ts"), "2");
      await writeFile(tree.path("b/x.ts"), "2");
      await writeFile(tree.path("a/last.ts"), "1");
      await watch.heard.of(tree.path("a/last.ts"));
      expect(new Set(watch.heard.paths)).toEqual(new Set([tree.path("a/last.ts")]));
    });

    test("new directories replace the previous ones", async () => {
      await using tree = await temporaryTree({ "a/x.ts": "1", "b/x.ts": "1" });
      await using watch = await watching([tree.path("a")]);
      await watch.watcher.watch(new Set([tree.path("b")]));
      watch.heard.forget();
      await writeFile(tree.path("a/x.ts"), "2");
      await writeFile(tree.path("b/x.ts"), "2");
      await watch.heard.of(tree.path("b/x.ts"));
      expect(new Set(watch.heard.paths.map((heard) => path.dirname(heard)))).toEqual(
        new Set([tree.path("b")]),
      );
    });

    test("a directory that does not exist yet is reported when it is created", async () => {
      await using tree = await temporaryTree({ "a/x.ts": "1" });
      await using watch = await watching([tree.path("a"), tree.path("later")]);
      await mkdir(tree.path("later"));
      await watch.heard.of(tree.path("later"));
      expect(watch.heard.failures).toEqual([]);
    });

    test("a closed watcher reports nothing, also if it was closed before anything was watched", async () => {
      await using tree = await temporaryTree({ "a/x.ts": "1" });
      await using first = await watching([tree.path("a")]);
      await using second = await watching([tree.path("a")]);
      await using unused = await watching([]);
      await Promise.all([first.watcher.close(), first.watcher.close(), unused.watcher.close()]);
      first.heard.forget();
      await writeFile(tree.path("a/x.ts"), "2");
      await second.heard.of(tree.path("a/x.ts"));
      expect(first.heard.paths).toEqual([]);
    });
  });
}
