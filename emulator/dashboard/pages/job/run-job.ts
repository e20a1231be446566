/** Submits jobs and changes them. */
import { goTo } from "../../route/address.ts";
import { call } from "../../service/call.ts";
import { attempt } from "../../state/store.ts";

/** Returns the id of the new job. */
export async function submit(endpointId: string, inputJson: string): Promise<string> {
  const { id } = await call<"run">(`v2/${encodeURIComponent(endpointId)}/run`, {
    method: "POST",
    body: `{"input":${inputJson}}`,
    headers: { "content-type": "application/json" },
  });
  return id;
}

/** Submits a job and shows it. */
export async function runAgain(endpointId: string, inputJson: string): Promise<void> {
  await attempt(async () => {
    goTo("job", [await submit(endpointId, inputJson)]);
    return "submitted: this is the new job";
  });
}

type Change = "cancel" | "retry";

interface ChangedJob {
  readonly id: string;
  readonly endpointId: string;
}

/** @throws CallError */
export async function sendChange(change: Change, { id, endpointId }: ChangedJob): Promise<void> {
  const path = `v2/${encodeURIComponent(endpointId)}/${change}/${encodeURIComponent(id)}`;
  await call<"cancel">(path, { method: "POST" });
}

export async function changeJob(change: Change, job: ChangedJob): Promise<void> {
  await attempt(async () => {
    await sendChange(change, job);
    return change === "cancel" ? "the job is cancelled" : "the job is back in the queue";
  });
}
