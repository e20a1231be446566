// The server, called through the service.
import { type Emulator, startEmulator } from "sv-runtime/emulator";
import { afterAll, beforeAll, expect, test } from "vitest";

const headers = { authorization: "Bearer test-key", "content-type": "application/json" };
let emulator: Emulator;

beforeAll(async () => {
  const path = `${import.meta.dirname}/server.ts`;
  // With a port of its own for health checks, as in some services.
  const env = { PORT_HEALTH: "8081" };
  const handlers = [{ id: "my-endpoint", path, type: "LOAD_BALANCING", env } as const];
  emulator = await startEmulator({ port: 0, apiKey: "test-key", handlers });
}, 60_000);
afterAll(async () => emulator.stop());

async function generate(body: unknown): Promise<Response> {
  const url = `${emulator.url}/lb/my-endpoint/generate`;
  return fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
}

test("streams a token for each event", async () => {
  const response = await generate({ prompt: "to be", maxTokens: 3 });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const events = ["to", "be", "to"].map((token) => `data: ${JSON.stringify({ token })}\n\n`);
  expect(await response.text()).toBe(`${events.join("")}data: [DONE]\n\n`);
}, 60_000);

test("says what is wrong with a request", async () => {
  const response = await generate({ prompt: "to be", maxTokens: 0 });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain("maxTokens");
}, 60_000);
