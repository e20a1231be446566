/** A part that all files of a test run share, started when the first of them asks for it. */
import { once } from "node:events";
import net from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { temporaryDirectory } from "./temporary-directory.ts";

type Answer = { readonly address: string } | { readonly error: string };

/** For the process that runs the tests; test processes ask at the socket `door`. */
export async function sharePart<Part extends AsyncDisposable>(
  start: () => Promise<Part>,
  addressOf: (part: Part) => string,
) {
  const home = temporaryDirectory();
  const door = path.join(home.path, "door.sock");
  let part: Promise<Part> | undefined;
  const answer = async (): Promise<Answer> => {
    try {
      part ??= start();
      return { address: addressOf(await part) };
    } catch (error) {
      return { error: String(error) };
    }
  };
  const server = net.createServer((asking) => {
    void answer().then((said) => asking.end(JSON.stringify(said)));
  });
  await once(server.listen(door), "listening");
  return {
    door,
    end: async (): Promise<void> => {
      server.close();
      const started = await part?.catch(() => undefined);
      await started?.[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

/**
 * The address of the part behind the socket `door`.
 * @throws Error with its output if it did not start
 */
export async function askFor(door: string): Promise<string> {
  const answer = JSON.parse(await text(net.connect(door))) as Answer;
  if ("error" in answer) throw new Error(answer.error);
  return answer.address;
}
