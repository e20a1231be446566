/** Server-sent events as they arrive, and the routes of the dashboard. */
import { describe, expect, test } from "vitest";
import { hrefTo, readRoute } from "../../../../emulator/dashboard/route/route.ts";
import { EventFrameReader } from "../../../../emulator/core/observe/event-frames.ts";
import { eventsOf } from "../../../../emulator/dashboard/state/service-event.ts";

describe("frames", () => {
  const text =
    'id: r-1\n\nevent: job\nid: r-2\ndata: {"a":1}\n\n: quiet\n\ndata: one\ndata: two\n\nevent: ba';

  test("are separated wherever the pieces are cut", () => {
    const whole = new EventFrameReader().push(text);
    expect(whole).toEqual([
      { type: "message", data: "", id: "r-1" },
      { type: "job", data: '{"a":1}', id: "r-2" },
      { type: "message", data: "one\ntwo", id: undefined },
    ]);
    for (let size = 1; size < 9; size += 1) {
      const reader = new EventFrameReader();
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, "gu")) ?? [];
      expect.soft(pieces.flatMap((piece) => reader.push(piece))).toEqual(whole);
    }
  });

  test("hold one event or a batch of events; unknown events, and data that is not JSON, are left out", () => {
    const at = "2026-01-01T00:00:00.000Z";
    expect(eventsOf("worker", JSON.stringify({ at, endpointId: "e" }))).toEqual([
      { type: "worker", at, endpointId: "e" },
    ]);
    const batch = [{ type: "job", at }, { type: "future", at }, null, 7, { type: "clock" }];
    expect(eventsOf("batch", JSON.stringify(batch))).toEqual([{ type: "job", at }]);
    expect(eventsOf("job", "{")).toEqual([]);
    expect(eventsOf("batch", "{}")).toEqual([]);
  });
});

describe("routes", () => {
  test("are read back with the parts they were made of", () => {
    const query = { q: "status:failed a&b=c #?/ü" };
    const parts = ["a/b", "<b>", "ü%"];
    expect(readRoute(hrefTo("job", parts, query))).toEqual({ page: "job", parts, query });
  });

  test("accept any typed text", () => {
    expect(readRoute("")).toMatchObject({ parts: [], query: {} });
    expect(readRoute("#/job/%ZZ//x?")).toEqual({ page: "job", parts: ["%ZZ", "x"], query: {} });
    expect(hrefTo("jobs", [], { q: "" })).toBe("#/jobs");
  });
});
