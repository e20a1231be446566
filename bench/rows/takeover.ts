/** Row: from the death of a handler process to the start of the next job, with a standby process and without. */
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Bench, interleave, newFolder } from "../bench.ts";
import { type EmulatorProcess, startEmulatorFor } from "../emulator-process.ts";
import { closeConnections, connectionsTo, send } from "../load/connections.ts";
import { type Line, lineOf } from "../line.ts";
import type { Row } from "./row.ts";

/** Time until the standby process is idle. It is started a second after the handler is ready. */
const STANDBY_MS = 2_000;

async function measure(bench: Bench): Promise<readonly Line[]> {
  const folder = newFolder(bench, "takeover");
  const endpoint = (standby: string) =>
    ({ handler: "dies-once", workers: 1, env: { SV_STANDBY: standby } }) as const;
  await using emulator = await startEmulatorFor(folder, {
    none: endpoint("0"),
    idle: endpoint("idle"),
    loaded: endpoint("loaded"),
  });
  let jobs = 0;
  const next = (endpointId: string) => async (): Promise<number> => {
    jobs += 1;
    return takeoverMs(emulator, endpointId, path.join(folder, `died-${jobs}`));
  };
  const { none, idle, loaded } = await interleave(bench, bench.quick ? 2 : 7, {
    none: next("none"),
    idle: next("idle"),
    loaded: next("loaded"),
  });
  await closeConnections(emulator.origin);
  const beside = "no standby process";
  return Object.entries({ idle, loaded }).map(([standby, ours]) =>
    lineOf({
      what: `kill to next job, standby ${standby}`,
      unit: "ms",
      ours,
      beside,
      others: none,
    }),
  );
}

async function takeoverMs(
  emulator: EmulatorProcess,
  endpointId: string,
  file: string,
): Promise<number> {
  await wait(STANDBY_MS);
  const [client] = connectionsTo(emulator.origin, 1);
  if (client === undefined) throw new Error("There is no connection.");
  const body = JSON.stringify({ input: { file } });
  const { request } = emulator.submission(endpointId, "runsync", body);
  const answer = (await send(client, request)).toString();
  const took = /"tookMs":([\d.]+)/.exec(answer)?.[1];
  if (took === undefined) throw new Error(`The job ended with ${answer}`);
  return Number(took);
}

export const takeover: Row = {
  id: "takeover",
  title: "A handler process is killed: SIGKILL to the start of its job's next attempt",
  measure,
};
