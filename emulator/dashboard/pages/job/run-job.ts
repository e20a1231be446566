/** Submits jobs and changes them. */
import { goTo } from "../../route/address.ts";
import { call } from "../../service/call.ts";
import { complain, say } from "../../state/store.ts";

/** Where a job went. */
export async function submit(endpointId: string, inputJson: string): Promise<string> {
  const { id } = await call<"run">(`v2/${encodeURIComponent(endpointId)}/run`, {
    method: "POST",
    body: `{"input":${inputJson}}`,
    headers: { "content-type": "application/json" },
  });
  return id;
}

/** Goes to the new job. */
export async function runAnew(endpointId: string, inputJson: string): Promise<void> {
  try {
    const id = await submit(endpointId, inputJson);
    say("submitted: this is the new job");
    goTo("job", [id]);
  } catch (error) {
    complain(error);
  }
}

export async function changeJob(
  change: "cancel" | "retry",
  { id, endpointId }: { readonly id: string; readonly endpointId: string },
): Promise<void> {
  try {
    await call<"cancel">(
      `v2/${encodeURIComponent(endpointId)}/${change}/${encodeURIComponent(id)}`,
      { method: "POST" },
    );
    say(change === "cancel" ? "the job is cancelled" : "the job is back in the queue");
  } catch (error) {
    complain(error);
  }
}
