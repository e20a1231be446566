/**
 * One Docker engine for all files of a run of tests, started when the first of them asks for it: what one file builds is in
 * the next one's cache.
 */
import { once } from "node:events";
import net from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import type { TestProject } from "vitest/node";
import { type DockerEngine, startDockerEngine } from "./docker-engine.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The socket at which the engine is asked for. */
    readonly sharedDocker: string;
  }
}

/** What may be asked for at the socket; the answer is the engine's address. An engine that was stopped is started again by `host`. */
type Wish = "host" | "SIGTERM" | "SIGKILL";
type Answer = { readonly host: string } | { readonly error: string };

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const home = temporaryDirectory();
  const door = path.join(home.path, "door.sock");
  let engine: Promise<DockerEngine> | undefined;
  const fulfil = async (wish: Wish): Promise<Answer> => {
    try {
      engine ??= startDockerEngine();
      const started = await engine;
      await (wish === "host" ? started.start() : started.stop(wish));
      return { host: started.host };
    } catch (error) {
      return { error: String(error) };
    }
  };
  const server = net.createServer({ allowHalfOpen: true }, (asking) => {
    void text(asking).then(async (wish) => asking.end(JSON.stringify(await fulfil(wish as Wish))));
  });
  await once(server.listen(door), "listening");
  project.provide("sharedDocker", door);
  return async () => {
    server.close();
    const started = await engine?.catch(() => undefined);
    await started?.[Symbol.asyncDispose]();
    home[Symbol.dispose]();
  };
}

/** Asks at the socket `door`; answers the engine's address. @throws Error with what it said when it did not come up */
export async function askSharedDocker(door: string, wish: Wish): Promise<string> {
  const asking = net.connect(door);
  asking.end(wish);
  const answer = JSON.parse(await text(asking)) as Answer;
  if ("error" in answer) throw new Error(answer.error);
  return answer.host;
}
