/** Where operations are called: those of the interface in each dialect, the emulator's own once. */
import { expect, it } from "vitest";
import { startTestHttp } from "./http-harness.ts";

it("leads to the emulator's own operations beside the dialects, never below another one's base path", async () => {
  await using service = await startTestHttp();
  const statusOf = async (method: "GET" | "POST" | "DELETE", path: string) =>
    (await service.call(method, path)).status;
  expect(await statusOf("GET", "/v2/echo/health")).toBe(200);
  expect(await statusOf("GET", "/live/v2/echo/health")).toBe(200);
  expect(await statusOf("POST", "/live/v2/echo/health")).toBe(405);
  expect(await statusOf("GET", "/emulator/clock")).toBe(200);
  expect(await statusOf("DELETE", "/emulator/clock")).toBe(405);
  expect(await statusOf("GET", "/live/emulator/clock")).toBe(404);
  expect(await statusOf("DELETE", "/live/emulator/clock")).toBe(404);
});

it("knows a base path by all of its name", async () => {
  await using service = await startTestHttp();
  const refusalOf = async (path: string) => (await service.call("GET", path)).json;
  expect(await refusalOf("/live")).not.toHaveProperty("code");
  expect(await refusalOf("/live?a=b")).not.toHaveProperty("code");
  expect(await refusalOf("/lively/v2/echo/health")).toHaveProperty("code", "not_found");
});
