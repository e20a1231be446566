/** An endpoint created over REST v2 runs jobs at the addresses in its answer. */
import { expect, test } from "vitest";
import { startEmulator } from "sv-runtime/emulator";

interface Made {
  readonly id: string;
  readonly requestUrls: Readonly<Record<"runSync" | "health" | "status", string>>;
}

const KEY = "key";

async function ask(method: string, url: string, body?: object): Promise<unknown> {
  const answer = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  expect(answer.ok, `${method} ${url} answered ${answer.status} ${text}`).toBe(true);
  return text === "" ? undefined : JSON.parse(text);
}

test("REST v2 creates a template and an endpoint of it, which runs a job, and deletes both", async () => {
  await using emulator = await startEmulator({
    port: 0,
    apiKey: KEY,
    endpoints: { greet: { handler: ({ input }) => ({ hello: input }) } },
  });
  const v2 = `${emulator.url}/live/v2`;
  const container = { image: "sv.local/greet", env: { A: "1" } };
  const template = { ...container, name: "greeter", serverless: true };
  const { id: templateId } = (await ask("POST", `${v2}/templates`, template)) as Made;
  const made = (await ask("POST", `${v2}/serverless`, {
    name: "greets",
    type: "QUEUE",
    templateId,
    cpu: [{ id: "cpu3c", vcpuCount: 2 }],
    workers: { max: 1 },
    scaling: { type: "QUEUE_DELAY", queueDelay: 0.5 },
  })) as Made;
  const { runSync, health, status } = made.requestUrls;
  const job = (await ask("POST", runSync, { input: { name: "Ada" } })) as { readonly id: string };
  expect(job).toMatchObject({ status: "COMPLETED", output: { hello: { name: "Ada" } } });
  expect(await ask("GET", status.replace("{job_id}", job.id))).toMatchObject({ id: job.id });
  expect(await ask("GET", health)).toMatchObject({ jobs: { completed: 1 } });
  const workers = await ask("GET", `${v2}/serverless/${made.id}/workers`);
  expect(workers).toMatchObject({ workers: [{ image: "sv.local/greet", version: 1 }] });
  await ask("DELETE", `${v2}/serverless/${made.id}`);
  await ask("DELETE", `${v2}/templates/${templateId}`);
});
