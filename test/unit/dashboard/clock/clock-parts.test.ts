/** The data of the clock's page. */
import { describe, expect, test } from "vitest";
import type { ServiceEvent } from "../../../../emulator/dashboard/state/service-event.ts";
import {
  happenings,
  MOST_EXAMPLES,
} from "../../../../emulator/dashboard/pages/clock/advance-events.ts";
import {
  around,
  type DueMoment,
  durationText,
  groupsOf,
  keepsRealTime,
  linkOf,
  stepMs,
} from "../../../../emulator/dashboard/pages/clock/due-labels.ts";

const NOW = Date.parse("2026-03-01T12:00:00.000Z");
const at = (ms: number) => new Date(NOW + ms).toISOString();

test.each([
  ["31m", "31m"],
  [" 1 h 30 M ", "1h30m"],
  ["90", "90m"],
  ["250ms", "250ms"],
  ["soon", "soon"],
])("typed %j is sent as %j", (typed, sent) => {
  expect(durationText(typed)).toBe(sent);
});

test("a step reaches the time of its event, also if the event is already due", () => {
  expect(stepMs(at(1_500), NOW)).toBe(1_500);
  expect(stepMs(at(0), NOW + 0.4)).toBe(1);
  expect(stepMs(at(2), NOW + 0.4)).toBe(2);
  expect(stepMs(at(-5_000), NOW)).toBe(1);
});

describe("a due event", () => {
  const deletion = (id: string, ms: number): DueMoment => ({
    ...{ at: at(ms), kind: "deletion", endpointId: "e", id },
    what: `the job ${id} is deleted: it is COMPLETED, and its retention ends`,
  });
  const webhook: DueMoment = {
    ...{ at: at(0), kind: "webhook", endpointId: "e", id: "msg_1" },
    what: "the webhook of the job j-1 is tried for the first time",
  };

  test("links to its job, delivery or endpoint, and has no link if it concerns several", () => {
    expect(linkOf(deletion("j-1", 0))).toEqual({
      named: "j-1",
      shown: "j-1",
      to: ["job", ["j-1"]],
    });
    expect(linkOf(webhook)).toEqual({ named: "j-1", shown: "j-1", to: ["webhooks", ["msg_1"]] });
    const what = "endpoint e: a worker has been idle for idleTimeout and leaves";
    expect(linkOf({ at: at(0), kind: "scale", what, endpointId: "e" })?.to).toEqual([
      "endpoint",
      ["e"],
    ]);
    expect(linkOf({ at: at(0), kind: "leases", what: "the first of the leases" })).toBeUndefined();
  });

  test("has its link within its sentence", () => {
    expect(around("the job j-1 is deleted", "j-1")).toEqual(["the job ", " is deleted"]);
    expect(around("something else", "j-1")).toEqual(["something else ", ""]);
  });

  test("is one line for events at about the same time that differ only in the id", () => {
    const due = [
      deletion("j-1", 0),
      deletion("j-2", 900),
      deletion("j-3", 1_001),
      webhook,
      deletion("j-4", 1_100),
    ];
    expect(groupsOf(due).map(({ first: { id }, count }) => [id, count])).toEqual([
      ["j-1", 2],
      ["j-3", 1],
      ["msg_1", 1],
      ["j-4", 1],
    ]);
  });

  test("is not moved by an advance if it follows real time", () => {
    expect(
      (["leases", "overrun", "deletion", "scale"] as const).filter((kind) =>
        keepsRealTime({ kind }),
      ),
    ).toEqual(["leases", "overrun"]);
  });
});

describe("effects of an advance", () => {
  const moved = (jobId: string, from: string | null, to: string | null) =>
    ({ type: "job", at: at(0), endpointId: "e", jobId, from, to, by: "any" }) as ServiceEvent;

  test("are counted by type, in the order of their begin, with a link to the newest", () => {
    const events: ServiceEvent[] = [
      ...Array.from({ length: 5 }, (_, nth) => moved(`j-${nth}`, "COMPLETED", null)),
      { type: "worker", at: at(0), endpointId: "e", workerId: "w", state: "draining" },
      moved("j-9", "COMPLETED", null),
      { type: "webhook", at: at(0), endpointId: "e", jobId: "j", deliveryId: "d", state: "failed" },
      { type: "scale", at: at(0), endpointId: "e", reason: "nothing waits" },
      { type: "clock", at: at(0) },
    ];
    const found = happenings(events);
    expect(found.map(({ what, kind, count }) => [what, kind, count])).toEqual([
      ["job deleted, it was completed", "job", 6],
      ["worker draining", "worker", 1],
      ["webhook failed", "webhook", 1],
      ["scaler: nothing waits", "scale", 1],
    ]);
    expect(found[0]?.examples).toHaveLength(MOST_EXAMPLES);
    expect(found[0]?.examples.at(-1)?.id).toBe("j-9");
  });

  test("name the common subject of several effects once", () => {
    const scaled = (endpointId: string, ms: number): ServiceEvent => ({
      ...{ type: "scale", at: at(ms), endpointId, reason: "nothing waits" },
    });
    const [found] = happenings([scaled("a", 0), scaled("b", 1), scaled("a", 2)]);
    expect(found?.count).toBe(3);
    expect(found?.examples).toEqual([
      { id: "b", at: at(1) },
      { id: "a", at: at(2) },
    ]);
  });

  test("show a deleted job as gone, unless it failed: its report is kept for a day", () => {
    const isGone = (from: string, to: string | null) =>
      happenings([moved("j", from, to)])[0]?.isGone;
    expect(isGone("COMPLETED", null)).toBe(true);
    expect(isGone("IN_QUEUE", null)).toBe(true);
    expect(isGone("FAILED", null)).toBe(false);
    expect(isGone("TIMED_OUT", null)).toBe(false);
    expect(isGone("IN_PROGRESS", "COMPLETED")).toBe(false);
  });
});
