// The handler in the test's own process, then behind the whole service.
import { createClient } from "sv-runtime/client";
import { startEmulator } from "sv-runtime/emulator";
import { runHandler } from "sv-runtime/testing";
import { expect, test } from "vitest";
import handler from "./handler.ts";

test("greets in English unless asked for another language", async () => {
  expect((await runHandler(handler, { name: "Ada" })).output).toEqual({ greeting: "Hello, Ada!" });
  const { output } = await runHandler(handler, { name: " Ada ", language: "fr" });
  expect(output).toEqual({ greeting: "Bonjour, Ada!" });
});

test("refuses a name that is blank", async () => {
  await expect(runHandler(handler, { name: " " })).rejects.toThrow("name: ");
});

test("clients of the service get the greeting", async () => {
  await using emulator = await startEmulator({
    port: 0,
    apiKey: "test-key",
    handlers: [{ id: "my-endpoint", path: `${import.meta.dirname}/handler.ts` }],
  });
  await using client = createClient({ baseUrl: emulator.url, apiKey: "test-key" });
  const { output } = await client.endpoint<typeof handler>("my-endpoint").runSync({ name: "Ada" });
  expect(output).toEqual({ greeting: "Hello, Ada!" });
}, 60_000);
