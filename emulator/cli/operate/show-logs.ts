/** Shows the log of a running emulator: the lines it keeps, and those that come. */
import { printableJson } from "../../../runtime/protocol/printable.ts";
import type { LogEntry } from "../../core/observe/log/log-entry.ts";
import { prettyLine } from "../log/pretty-line.ts";
import { logLineSchema } from "./answers.ts";
import type { OperateFlags } from "./operate-flags.ts";
import { RefusedError, type ServiceClient } from "./service-client.ts";
import type { Terminal } from "./terminal.ts";

/** Resolves when the emulator has nothing more to say. @throws RefusedError when lines came too fast */
export async function showLogs(
  client: ServiceClient,
  endpointId: string | undefined,
  { follow, tail, json }: OperateFlags,
  { out, colors }: Terminal,
): Promise<void> {
  const query = new URLSearchParams({
    ...(endpointId !== undefined && { endpointId }),
    ...(tail !== undefined && { tail }),
    ended: String(follow !== true),
  });
  for await (const { type, data } of client.events(`/emulator/logs?${query.toString()}`)) {
    if (type === "dropped") throw new RefusedError("lines came faster than they could be shown");
    out(
      json === true
        ? `${printableJson(data)}\n`
        : prettyLine(entryOf(data), { colors, stacks: false }),
    );
  }
}

function entryOf(line: string): LogEntry {
  const written = logLineSchema.parse(JSON.parse(line));
  const {
    time,
    level,
    msg: message,
    source,
    endpointId,
    workerId,
    jobId,
    stream,
    ...rest
  } = written;
  const at = Date.parse(time);
  if (source === undefined || endpointId === undefined || workerId === undefined) {
    const fields = { endpointId, workerId, jobId, ...rest };
    return { at, level, message, fields };
  }
  const origin = {
    source,
    endpointId,
    workerId,
    ...(jobId !== undefined && { jobId }),
    ...(stream !== undefined && { stream }),
  };
  return { at, level, message, fields: rest, origin };
}
