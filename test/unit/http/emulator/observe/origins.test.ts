/** `/emulator/origins` over HTTP. */
import { expect, it } from "vitest";
import { startTestHttp, USER_KEY } from "../../http-harness.ts";

it("the origins of endpoints are shown to the admin", async () => {
  await using service = await startTestHttp();
  const { status, json } = await service.call("GET", "/emulator/origins");
  expect(status).toBe(200);
  expect(json).toEqual({ endpoints: [{ id: "echo" }], templates: [] });
  const asUser = { headers: { authorization: `Bearer ${USER_KEY}` } };
  expect((await service.call("GET", "/emulator/origins", asUser)).status).toBe(403);
});
