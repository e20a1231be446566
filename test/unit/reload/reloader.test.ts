/** Changed files: one release for simultaneous changes, none for a failed build, and other endpoints are served. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { LocalHandler } from "../../../emulator/handlers/local-endpoint.ts";
import { type FoundHandlers, Reloader } from "../../../emulator/reload/reloader.ts";
import { FakeClock } from "../../fake-clock.ts";
import { PlayedHandler, PlayedWatcher } from "./played-handler.ts";

const hello: LocalHandler = { id: "hello", path: "/app/hello/handler.ts" };
const other: LocalHandler = { id: "other", path: "/app/other/handler.ts" };

let clock: FakeClock;
let watcher: PlayedWatcher;
let reloader: Reloader;
let built: Map<string, PlayedHandler>;
let done: string[];
let said: string[];
let told: string[];
let found: FoundHandlers | Error;

beforeEach(async () => {
  clock = new FakeClock();
  done = [];
  said = [];
  told = [];
  built = new Map();
  found = { handlers: [hello], directories: new Set(["/app"]), files: new Set() };
  const note = (_: object, message: string) => void said.push(message);
  const act = (what: string) => async (handler: LocalHandler, module?: { modulePath: string }) => {
    done.push([what, handler.id, module?.modulePath ?? ""].join(" ").trim());
  };
  reloader = new Reloader({
    clock,
    log: { info: (_, message) => told.push(message), warn: note, error: note },
    actions: { release: act("release"), serve: act("serve"), withdraw: act("withdraw") },
    openHandler: ({ id, path }) => {
      const handler = new PlayedHandler(path, "/app/shared.ts");
      built.set(id, handler);
      return handler;
    },
    openWatcher: (events) => (watcher = new PlayedWatcher(events)),
    search: {
      find: async () => {
        if (found instanceof Error) throw found;
        return found;
      },
    },
  });
  await reloader.start([hello], ({ path }) => ({ files: new Set([path]), madeAt: 0 }));
});
afterEach(async () => {
  for (const handler of built.values()) handler.finishBuilds();
  await reloader.close();
});

function handlerOf({ id }: LocalHandler): PlayedHandler {
  const handler = built.get(id);
  if (handler === undefined) throw new Error(`${id} was never opened`);
  return handler;
}

/** Files are really read, which takes turns of the event loop. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

function change(...paths: readonly string[]): void {
  for (const path of paths) watcher.events.changed(path);
}

describe("a change", () => {
  test("is released when it is quiet, from a build that began with it", async () => {
    change(hello.path);
    expect(handlerOf(hello).builds).toBe(1);
    await clock.advance(4);
    expect(done).toEqual([]);
    await clock.advance(1);
    expect(done).toEqual(["release hello /made/1"]);
  });

  test("that makes the version in service is not released", async () => {
    handlerOf(hello).content = "one";
    change(hello.path);
    await clock.advance(5);
    expect(done).toEqual(["release hello /made/1"]);
    change(hello.path);
    await clock.advance(5);
    await until(() => handlerOf(hello).builds === 2);
    await reloader.close();
    expect(done).toEqual(["release hello /made/1"]);
  });

  test("that undoes a mistake is not released either, and the one after it is", async () => {
    const handler = handlerOf(hello);
    handler.content = "one";
    change(hello.path);
    await clock.advance(5);
    await until(() => done.length === 1);
    handler.problem = "no";
    change(hello.path);
    await clock.advance(5);
    await until(() => said.length === 1);
    handler.problem = undefined;
    change(hello.path);
    await clock.advance(5);
    await until(() => told.some((message) => message.includes("nothing has changed")));
    handler.content = "two";
    change(hello.path);
    await clock.advance(5);
    await until(() => done.length === 2);
    expect(done).toEqual(["release hello /made/1", "release hello /made/4"]);
  });

  test("of a file that follows each version by itself is released three times, and then with another file", async () => {
    const shared = "/app/shared.ts";
    await clock.advance(1_000);
    for (let turn = 0; turn < 6; turn++) {
      change(turn === 0 ? hello.path : shared);
      await clock.advance(5);
      await until(() => done.length === Math.min(turn + 1, 4));
      await clock.advance(2_000);
    }
    expect(done).toHaveLength(4);
    expect(said).toEqual([expect.stringContaining(`${shared} changes with each new version`)]);
    change(hello.path);
    await clock.advance(5);
    await until(() => done.length === 5);
    change(shared);
    await clock.advance(5);
    await until(() => done.length === 6);
  });

  test("of a handler's own file, which a person saves again and again, is released each time", async () => {
    for (let turn = 1; turn <= 6; turn++) {
      change(hello.path);
      await clock.advance(5);
      await until(() => done.length === turn);
    }
    expect(said).toEqual([]);
  });

  test("of many files at once is one release of their final state", async () => {
    const files = Array.from({ length: 100 }, (_, at) => `/app/many/${at}.ts`);
    handlerOf(hello).files = files;
    await clock.advance(1_000);
    await until(() => watcher.directories.includes("/app/many"));
    change(...files);
    await clock.advance(60);
    await until(() => done.length > 0);
    await clock.advance(2_000);
    expect(done).toEqual([expect.stringMatching(/^release hello/u)]);
  });

  test("during a build drops that build", async () => {
    const handler = handlerOf(hello);
    handler.isQuick = false;
    change(hello.path);
    await clock.advance(10);
    change(hello.path);
    handler.finishBuilds();
    await clock.settle();
    expect(done).toEqual([]);
    await clock.advance(10);
    handler.finishBuilds();
    await clock.settle();
    expect(done).toEqual(["release hello /made/2"]);
  });

  test("that never ends is released by the fourth build in a row", async () => {
    const handler = handlerOf(hello);
    handler.isQuick = false;
    const released: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      change(hello.path);
      await clock.advance(10);
      change(hello.path);
      handler.finishBuilds();
      await clock.settle();
      released.push(done.length);
    }
    expect(released).toEqual([0, 0, 0, 1]);
  });

  test("of an unrelated file does nothing", async () => {
    change("/app/hello/notes.md");
    await clock.advance(60);
    expect(done).toEqual([]);
  });
});

describe("the list of a handler's files", () => {
  test("is read a second after the start, without a release, and watched from then on", async () => {
    expect(watcher.directories).toEqual(["/app", "/app/hello"]);
    change("/app/shared.ts");
    await clock.advance(100);
    expect(done).toEqual([]);
    await clock.advance(900);
    await until(() => handlerOf(hello).builds === 1);
    expect(done).toEqual([]);
    await until(() => {
      change("/app/shared.ts");
      return handlerOf(hello).builds > 1;
    });
    await clock.advance(10);
    await until(() => done.length > 0);
    expect(done).toEqual(["release hello /made/2"]);
  });
});

describe("a broken handler", () => {
  test("is reported and not released, and its fix is released", async () => {
    handlerOf(hello).problem = "Expected a brace";
    change(hello.path);
    await clock.advance(10);
    expect(done).toEqual([]);
    expect(said).toEqual([
      "handler.ts cannot be built, the previous version stays in service:\nExpected a brace",
    ]);
    handlerOf(hello).problem = undefined;
    change(hello.path);
    await clock.advance(10);
    await until(() => done.length > 0);
    expect(done).toEqual(["release hello /made/2"]);
  });
});

describe("a directory of handlers", () => {
  test("serves a new handler, and reloads it from then on", async () => {
    found = { handlers: [hello, other], directories: new Set(["/app"]), files: new Set() };
    change("/app/other");
    await clock.advance(10);
    expect(done).toEqual(["serve other"]);
    change(other.path);
    await clock.advance(10);
    await until(() => done.length > 1);
    expect(done).toEqual(["serve other", expect.stringMatching(/^release other/u)]);
  });

  test("withdraws a removed handler without a build", async () => {
    found = { handlers: [], directories: new Set(["/app"]), files: new Set() };
    change("/app/hello");
    await clock.advance(10);
    expect(done).toEqual(["withdraw hello"]);
    expect(handlerOf(hello)).toMatchObject({ isClosed: true, builds: 0 });
  });

  test("serves a handler with changed settings again", async () => {
    const changed = { ...hello, env: { MODEL: "large" } };
    found = { handlers: [changed], directories: new Set(["/app"]), files: new Set() };
    change("/app/sv.config.json");
    await clock.advance(10);
    expect(done).toEqual(["serve hello"]);
  });

  test("stays unchanged if it cannot be read", async () => {
    found = new Error("sv.config.json is no JSON");
    change("/app/sv.config.json");
    await clock.advance(10);
    expect(done).toEqual([]);
    expect(said).toEqual(["the same handlers are still served: sv.config.json is no JSON"]);
  });
});

test("a closed reloader releases nothing any more", async () => {
  change(hello.path);
  await reloader.close();
  change(hello.path);
  await clock.advance(2_000);
  expect(done).toEqual([]);
  expect(clock.armed).toBe(0);
});
