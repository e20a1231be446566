/** The report of exceeded rate limits, over HTTP. */
import { expect, it } from "vitest";
import { startTestHttp } from "../../http-harness.ts";

it.each(["warn", "enforce"] as const)(
  "with limits that %s the report shows the excess",
  async (limits) => {
    await using service = await startTestHttp({ limits });
    const read = async () => (await service.call("GET", "/emulator/limits")).json;
    expect(await read()).toEqual({ mode: limits, exceeded: [] });
    for (let nth = 0; nth < 4; nth += 1) await service.call("POST", "/v2/echo/purge-queue");
    const at = new Date(service.test.clock.now()).toISOString();
    expect(await read()).toEqual({
      mode: limits,
      exceeded: [
        {
          ...{ endpointId: "echo", operation: "/purge-queue", count: 2 },
          requests: { limit: 2, peak: 4 },
          ...{ firstAt: at, lastAt: at },
        },
      ],
    });
  },
);

it("the report shows when there are no limits", async () => {
  await using service = await startTestHttp();
  const { json } = await service.call("GET", "/emulator/limits");
  expect(json).toEqual({ mode: "off", exceeded: [] });
});
