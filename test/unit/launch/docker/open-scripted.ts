/** The Docker launcher on a scripted engine. */
import { onTestFinished } from "vitest";
import type { Clock } from "../../../../emulator/core/time/clock.ts";
import { createDockerLauncher } from "../../../../emulator/launch/docker/docker-launcher.ts";
import type { HostRoute } from "../../../../emulator/launch/docker/engine-location.ts";
import { createSystemClock } from "../../../../emulator/assembly/system-clock.ts";
import { eventually } from "../../../e2e/jobs/observe.ts";
import { PLACES, SOCKET } from "./order.ts";
import { ScriptedEngine } from "./scripted-engine.ts";

/**
 * The launcher is closed when the test ends, unless the test has its own clock.
 * @param volume directory of the network volume of its workers and pods
 */
export function open(engine = new ScriptedEngine(), clock?: Clock, volume?: string) {
  const said: string[] = [];
  const lines: string[] = [];
  const routes: HostRoute[] = [];
  const say = (_: object, message: string) => void said.push(message);
  let timesWilling = 0;
  const launcher = createDockerLauncher({
    engine,
    emulator: "mine",
    workerSocket: SOCKET,
    placesOf: async (_, route) => {
      routes.push(route);
      return { ...PLACES, volume };
    },
    networkVolumeOf: async () => volume ?? "/volumes/v",
    podLine: (_, line) => void lines.push(line),
    credentialsOf: async () => undefined,
    line: (_, line) => void lines.push(line),
    willing: () => void (timesWilling += 1),
    log: { info: say, warn: say },
    clock: clock ?? createSystemClock(),
  });
  if (clock === undefined) onTestFinished(() => launcher.close());
  const made = (count: number) =>
    eventually("it is made", () => (engine.containers.length === count ? true : undefined));
  return { engine, launcher, said, lines, routes, made, timesWilling: () => timesWilling };
}
