/** The place of a crash run: a directory with a config, a data directory and the file to which facts are appended. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { History } from "./history.ts";

const fixtures = path.resolve(import.meta.dirname, "../../fixtures");
const tap = new URL("../../fixtures/preload/taps-the-session.ts", import.meta.url);

export interface CrashScene extends Disposable {
  readonly config: string;
  readonly dataDirectory: string;
  readonly history: History;
  /** Variables of all workers and handlers, as `NAME=value`. */
  readonly mark: string;
}

interface SceneEndpoint {
  readonly fixture: string;
  readonly workers: number;
  /** Further settings of the endpoint. */
  readonly more?: object;
}

/** The fixture with its name serves each of `endpoints`; workers and handlers record what they do. */
export function makeCrashScene(endpoints: Readonly<Record<string, SceneEndpoint>>): CrashScene {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "sv-crash-"));
  const facts = path.join(directory, "facts.jsonl");
  const config = path.join(directory, "sv.json");
  // One clock orders the facts of all processes, whatever happens to the clocks of the emulators.
  const env = { TAP_FILE: facts, NODE_OPTIONS: `--import ${tap.href}`, LD_PRELOAD: "" };
  const written = Object.entries(endpoints).map(([id, { fixture, workers, more }]) => [
    id,
    {
      handler: path.join(fixtures, "handlers", fixture),
      env,
      workersMin: workers,
      workersMax: workers,
      ...more,
    },
  ]);
  fs.writeFileSync(
    config,
    JSON.stringify({ endpoints: Object.fromEntries(written), dataDir: "data" }),
  );
  return {
    config,
    dataDirectory: path.join(directory, "data"),
    history: new History(facts),
    mark: `TAP_FILE=${facts}`,
    [Symbol.dispose]: () => fs.rmSync(directory, { recursive: true, force: true }),
  };
}
