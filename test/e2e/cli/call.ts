/** Calls a job operation of an emulator in its own process. */
import type { EmulatorProcess } from "../emulator-process.ts";

/** GET without a body, else POST. `path` begins with the endpoint's id; `apiKey` is the emulator's unless another is given. */
export async function call(
  emulator: Pick<EmulatorProcess, "url" | "apiKey">,
  path: string,
  body?: object,
  apiKey: string = emulator.apiKey ?? "",
): Promise<Record<string, unknown>> {
  const response = await fetch(`${emulator.url}/v2/${path}`, {
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  if (typeof answer !== "object" || answer === null) throw new Error(`answered ${String(answer)}`);
  return { ...answer };
}
