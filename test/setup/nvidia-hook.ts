/** A program in the place of the NVIDIA Container Toolkit's hook: with it in its `PATH` an engine starts containers with GPUs. */
import fs from "node:fs";
import path from "node:path";
import { temporaryDirectory } from "./temporary-directory.ts";

export interface NvidiaHook extends Disposable {
  /** The directory it is in, which goes into the engine's `PATH`. */
  readonly folder: string;
  /** For each container that was started with GPUs the ids of those it was to be given, in the order of their starts. */
  calls(): readonly string[];
}

/** Notes which devices the engine asks for, gives none, and lets the container start. */
export function nvidiaHook(): NvidiaHook {
  const temporary = temporaryDirectory();
  const calls = path.join(temporary.path, "calls");
  // The state of the container comes on its standard input, and says where the description of it lies.
  const script = `#!/bin/sh
bundle=$(sed -n 's/.*"bundle":"\\([^"]*\\)".*/\\1/p')
echo "$(sed -n 's/.*"NVIDIA_VISIBLE_DEVICES=\\([^"]*\\)".*/\\1/p' "$bundle/config.json")" >>'${calls}'
`;
  fs.writeFileSync(path.join(temporary.path, "nvidia-container-runtime-hook"), script, {
    mode: 0o755,
  });
  return {
    folder: temporary.path,
    calls: () => (fs.existsSync(calls) ? fs.readFileSync(calls, "utf8").trim().split("\n") : []),
    [Symbol.dispose]: () => temporary[Symbol.dispose](),
  };
}
