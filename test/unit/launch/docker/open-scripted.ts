/** The Docker launcher on an engine that a test plays. */
import type { Clock } from "../../../../emulator/core/time/clock.ts";
import { createDockerLauncher } from "../../../../emulator/launch/docker/docker-launcher.ts";
import { createSystemClock } from "../../../../emulator/assembly/system-clock.ts";
import { eventually } from "../../../e2e/jobs/observe.ts";
import { PLACES } from "./order.ts";
import { ScriptedEngine } from "./scripted-engine.ts";

export function open(engine = new ScriptedEngine(), clock: Clock = createSystemClock()) {
  const said: string[] = [];
  const lines: string[] = [];
  const gateways: (string | undefined)[] = [];
  const say = (_: object, message: string) => void said.push(message);
  let timesWilling = 0;
  const launcher = createDockerLauncher({
    engine,
    emulator: "mine",
    placesOf: async (_, gateway) => {
      gateways.push(gateway);
      return PLACES;
    },
    networkVolumeOf: async () => "/volumes/v",
    podLine: (_, line) => void lines.push(line),
    credentialsOf: async () => undefined,
    line: (_, line) => void lines.push(line),
    willing: () => void (timesWilling += 1),
    log: { info: say, warn: say },
    clock,
  });
  const made = (count: number) =>
    eventually("it is made", () => (engine.containers.length === count ? true : undefined));
  return { engine, launcher, said, lines, gateways, made, timesWilling: () => timesWilling };
}
