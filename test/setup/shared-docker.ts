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
    /** The socket that tells where the engine is. */
    readonly sharedDocker: string;
  }
}

type Answer = { readonly host: string } | { readonly error: string };

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const home = temporaryDirectory();
  const door = path.join(home.path, "door.sock");
  let engine: Promise<DockerEngine> | undefined;
  const answer = async (): Promise<Answer> => {
    try {
      engine ??= startDockerEngine();
      return { host: (await engine).host };
    } catch (error) {
      return { error: String(error) };
    }
  };
  const server = net.createServer((asking) => {
    void answer().then((said) => asking.end(JSON.stringify(said)));
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

/** The address of the engine behind the socket `door`. @throws Error with what it said when it did not come up */
export async function sharedDockerHost(door: string): Promise<string> {
  const answer = JSON.parse(await text(net.connect(door))) as Answer;
  if ("error" in answer) throw new Error(answer.error);
  return answer.host;
}
