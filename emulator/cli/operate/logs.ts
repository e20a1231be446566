/** `sv-emulate logs`: shows the lines of the log that a running emulator keeps, and new ones. */
import { z } from "zod";
import { printableJson } from "../../../runtime/protocol/printable.ts";
import type { LogEntry } from "../../core/observe/log/log-entry.ts";
import { prettyLine } from "../log/pretty-line.ts";
import type { CommandCall } from "./command-call.ts";
import { RefusedError } from "./service-client.ts";

/** A line of the log as the service sends it. */
export const lineSchema = z.looseObject({
  time: z.string(),
  level: z.enum(["debug", "info", "warn", "error"]),
  msg: z.string(),
  source: z.enum(["handler", "worker"]).optional(),
  endpointId: z.string().optional(),
  workerId: z.string().optional(),
  jobId: z.string().optional(),
  stream: z.enum(["stdout", "stderr"]).optional(),
});

/** Resolves when the emulator ends the stream. @throws RefusedError when lines came too fast */
export async function showLogs({ client, subject, flags, terminal }: CommandCall): Promise<void> {
  const { follow, tail, json } = flags;
  const { out, colors } = terminal;
  const asked = { endpointId: subject, tail, ended: String(follow !== true) };
  for await (const { type, data } of client.events("logs", asked)) {
    if (type === "dropped") throw new RefusedError("lines came faster than they could be shown");
    out(
      json === true
        ? `${printableJson(data)}\n`
        : prettyLine(entryOf(data), { colors, stacks: false }),
    );
  }
}

function entryOf(json: string): LogEntry {
  const { time, level, msg: message, source, stream, ...rest } = lineSchema.parse(JSON.parse(json));
  const { endpointId, workerId, jobId, ...fields } = rest;
  const at = Date.parse(time);
  if (source === undefined || endpointId === undefined || workerId === undefined)
    return { at, level, message, fields: rest };
  const origin = {
    ...{ source, endpointId, workerId },
    ...(jobId !== undefined && { jobId }),
    ...(stream !== undefined && { stream }),
  };
  return { at, level, message, fields, origin };
}
