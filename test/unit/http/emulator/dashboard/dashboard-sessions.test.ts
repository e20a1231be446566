/** Access to the dashboard: by a ticket or the admin key, with a cookie that counts for its own page only. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DashboardMode } from "../../../../../emulator/core/access/dashboard-mode.ts";
import {
  DashboardAccess,
  MOST_SESSIONS,
  MOST_TICKETS,
  TICKET_MS,
  withoutSessions,
} from "../../../../../emulator/http/operation/access/dashboard-access.ts";
import { KEY, startTestHttp, type TestHttp, USER_KEY } from "../../http-harness.ts";

const HOST = "host: localhost:7080";
const OWN = ["origin: http://localhost:7080", "x-sv-dashboard: 1"];

interface Answer {
  readonly status: number;
  readonly cookie: string | undefined;
  readonly body: string;
}

let service: TestHttp;
const restart = async (dashboard: DashboardMode) => {
  await service?.[Symbol.asyncDispose]();
  service = await startTestHttp({ dashboard });
};
beforeEach(async () => (service = await startTestHttp({ dashboard: "on" })));
afterEach(async () => service[Symbol.asyncDispose]());

async function ask(line: string, headers: readonly string[], body?: unknown): Promise<Answer> {
  const text = body === undefined ? "" : JSON.stringify(body);
  const length = body === undefined ? [] : [`content-length: ${text.length}`];
  const lines = [`${line} HTTP/1.1`, HOST, ...headers, ...length, "connection: close", "", text];
  const answer = await service.raw(lines.join("\r\n"));
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/u.exec(answer)?.[1]),
    cookie: /^set-cookie: ([^\r]*)/imu.exec(answer)?.[1],
    body: answer.slice(answer.indexOf("\r\n\r\n") + 4),
  };
}

const enter = (body: unknown, headers: readonly string[] = OWN) =>
  ask("POST /emulator/session", headers, body);

function ticketOf(link: string | undefined): string {
  return new URL(link ?? "").searchParams.get("ticket") ?? "";
}

const newTicket = () => ticketOf(service.http.dashboardLink(service.url));

/** The header with the cookie of a new session. */
async function cookieLine(): Promise<string> {
  const { cookie = "" } = await enter({ ticket: newTicket() });
  return `cookie: other=1; ${cookie.split(";")[0]}`;
}

describe("a session", () => {
  it("is opened once by a ticket, with a cookie that scripts cannot read and other sites do not send", async () => {
    const ticket = newTicket();
    const first = await enter({ ticket });
    expect(first).toMatchObject({ status: 201, body: '{"dashboard":"on"}' });
    expect(first.cookie).toMatch(
      /^sv-session-7080=[\w-]{22,}; Path=\/; HttpOnly; SameSite=Strict$/u,
    );
    const second = await enter({ ticket });
    expect([second.status, second.cookie]).toEqual([401, undefined]);
    expect(second.body).toContain("sv-emulate open");
  });

  it("is opened by the admin's key, and by no other key", async () => {
    expect(await enter({ key: KEY })).toMatchObject({ status: 201 });
    expect(await enter({ key: USER_KEY })).toMatchObject({ status: 403, cookie: undefined });
    expect(await enter({ key: "wrong" })).toMatchObject({ status: 401, cookie: undefined });
    expect(await enter({})).toMatchObject({ status: 401, cookie: undefined });
    expect(await enter({ ticket: 7 })).toMatchObject({ status: 400 });
  });

  it("is opened for its own page alone", async () => {
    const ticket = newTicket();
    const others = [
      ["origin: http://localhost:7080"],
      ["x-sv-dashboard: 1"],
      ["origin: http://localhost:3000", "x-sv-dashboard: 1"],
      [...OWN, "sec-fetch-site: same-site"],
      [...OWN, "sec-fetch-site: cross-site"],
    ];
    for (const headers of others) {
      const { status, cookie } = await enter({ ticket }, headers);
      expect.soft([401, 403], headers.join()).toContain(status);
      expect.soft(cookie, headers.join()).toBeUndefined();
    }
    expect(await enter({ ticket }, [...OWN, "sec-fetch-site: same-origin"])).toMatchObject({
      status: 201,
    });
  });

  it("can be opened by a ticket that the admin's key created", async () => {
    const { status, json } = await service.call("POST", "/emulator/tickets");
    expect(status).toBe(201);
    expect(await enter(json)).toMatchObject({ status: 201 });
    const headers = { authorization: USER_KEY };
    expect((await service.call("POST", "/emulator/tickets", { headers })).status).toBe(403);
  });

  it("ends when its page ends it", async () => {
    const cookie = await cookieLine();
    expect(await ask("GET /emulator/session", [...OWN, cookie])).toMatchObject({ status: 200 });
    const end = await ask("DELETE /emulator/session", [...OWN, cookie]);
    expect([end.status, end.cookie]).toEqual([204, expect.stringContaining("Max-Age=0")]);
    expect(await ask("GET /emulator/session", [...OWN, cookie])).toMatchObject({ status: 401 });
  });
});

describe("the cookie of a session", () => {
  it("has the rights of the admin's key, for the dashboard's own scripts", async () => {
    const cookie = await cookieLine();
    for (const line of ["GET /emulator/jobs", "GET /v1/endpoints", "GET /v2/echo/health"]) {
      expect.soft(await ask(line, [...OWN, cookie]), line).toMatchObject({ status: 200 });
    }
    const run = await ask("POST /v2/echo/run", [...OWN, cookie], { input: {} });
    expect(run).toMatchObject({ status: 200 });
  });

  it.each([
    ["no header of the dashboard", ["origin: http://localhost:7080"]],
    ["another value of the header", ["x-sv-dashboard: 0"]],
    ["a page of another site", ["x-sv-dashboard: 1", "sec-fetch-site: cross-site"]],
    ["a page of another port", ["x-sv-dashboard: 1", "sec-fetch-site: same-site"]],
    ["a form, which sends no origin", ["sec-fetch-site: none", "x-sv-dashboard: 1"]],
  ])("does not count with %s", async (_, headers) => {
    const cookie = await cookieLine();
    expect(await ask("GET /emulator/jobs", [...headers, cookie])).toMatchObject({ status: 401 });
    const run = await ask("POST /v2/echo/run", [...headers, cookie], { input: {} });
    expect(run).toMatchObject({ status: 401 });
  });

  it("cannot change anything in a request without an origin", async () => {
    const cookie = await cookieLine();
    const headers = ["x-sv-dashboard: 1", cookie];
    expect(await ask("GET /emulator/jobs", headers)).toMatchObject({ status: 200 });
    expect(await ask("POST /v2/echo/run", headers, { input: {} })).toMatchObject({ status: 401 });
  });

  it("is bound to one port: the cookie of another emulator on this machine does not count", async () => {
    const cookie = (await cookieLine()).replace("-7080=", "-7081=");
    expect(await ask("GET /emulator/jobs", [...OWN, cookie])).toMatchObject({ status: 401 });
  });

  it("is worthless if the service did not issue it", async () => {
    const cookie = "cookie: sv-session-7080=aaaaaaaaaaaaaaaaaaaaaaaa";
    const { status, body } = await ask("GET /emulator/jobs", [...OWN, cookie]);
    expect(status).toBe(401);
    expect(body).toContain("no session");
  });
});

describe("a read-only dashboard", () => {
  beforeEach(async () => restart("read-only"));

  it("reads, and refuses all other actions", async () => {
    const cookie = await cookieLine();
    const headers = [...OWN, cookie];
    expect(await ask("GET /emulator/session", headers)).toMatchObject({
      status: 200,
      body: '{"dashboard":"read-only"}',
    });
    expect(await ask("GET /emulator/jobs", headers)).toMatchObject({ status: 200 });
    const refused = [
      "POST /v2/echo/run",
      "POST /v2/echo/purge-queue",
      "POST /emulator/clock",
      "POST /emulator/tickets",
      "DELETE /v1/endpoints/echo",
      "PATCH /v1/endpoints/echo",
    ];
    for (const line of refused) {
      const { status, body } = await ask(line, headers, {});
      expect
        .soft([status, JSON.parse(body)], line)
        .toMatchObject([403, { code: "dashboard_read_only" }]);
    }
  });

  it("neither consumes a stream nor sets a job's deletion, although these requests are GETs", async () => {
    const id = await service.run();
    const headers = [...OWN, await cookieLine()];
    for (const line of [`GET /v2/echo/stream/${id}`, `GET /v2/echo/status/${id}?ttl=1`]) {
      expect.soft(await ask(line, headers), line).toMatchObject({ status: 403 });
    }
  });

  it("does not get the webhook secret", async () => {
    const headers = [...OWN, await cookieLine()];
    for (const name of ["secret", "%73ecret", "secret/", "secret?brief=true"]) {
      const { status, body } = await ask(`GET /emulator/webhooks/${name}`, headers);
      expect.soft([403, 404], name).toContain(status);
      expect.soft(body, name).not.toContain("whsec_");
    }
  });

  it("does not restrict clients with a key", async () => {
    const { status } = await service.call("POST", "/v2/echo/run", { body: { input: {} } });
    expect(status).toBe(200);
  });
});

describe("without a dashboard the service", () => {
  beforeEach(async () => restart("off"));

  it("has no links, no sessions and no page", async () => {
    expect(service.http.dashboardLink(service.url)).toBeUndefined();
    expect(await enter({ key: KEY })).toMatchObject({ status: 404 });
    const page = await ask("GET /", ["accept: text/html", `authorization: ${KEY}`]);
    expect(page).toMatchObject({ status: 404 });
    expect((await service.call("GET", "/ui/page.html")).status).toBe(404);
  });
});

describe("the path /", () => {
  it("answers a client that prefers JSON as usual", async () => {
    for (const accept of ["*/*", "application/json", "application/json, text/html;q=0.5"]) {
      const without = await ask("GET /", [`accept: ${accept}`]);
      expect(without).toMatchObject({ status: 401 });
      expect(without.body).toContain("the API key is missing");
      const { status, body } = await ask("GET /", [`accept: ${accept}`, `authorization: ${KEY}`]);
      expect([status, JSON.parse(body)]).toEqual([
        404,
        expect.objectContaining({ code: "not_found", error: "there is no operation at /" }),
      ]);
    }
  });
});

describe("the store of tickets and sessions", () => {
  const at = { now: 0 };
  const access = () => {
    let drawn = 0;
    return new DashboardAccess({
      mode: "on",
      clock: { now: () => at.now },
      random: { token: () => `t${(drawn += 1)}` },
    });
  };
  const request = (cookie: string) =>
    ({ headers: { host: "a:1", cookie } }) as unknown as Parameters<DashboardAccess["keyIdOf"]>[0];
  const begin = (of: DashboardAccess) => of.begin(request(""), "k", "http").split(";")[0] ?? "";

  it("keeps a ticket valid for ten minutes", () => {
    const dashboard = access();
    const [early, late] = [dashboard.issueTicket(), dashboard.issueTicket()];
    at.now = TICKET_MS - 1;
    expect(dashboard.useTicket(early)).toBe("dashboard");
    at.now = TICKET_MS;
    expect(dashboard.useTicket(late)).toBeUndefined();
  });

  it("bounds the number of tickets, and drops the oldest one", () => {
    const dashboard = access();
    const tickets = Array.from({ length: MOST_TICKETS + 1 }, () => dashboard.issueTicket());
    expect(dashboard.useTicket(tickets[0] ?? "")).toBeUndefined();
    expect(dashboard.useTicket(tickets[1] ?? "")).toBe("dashboard");
  });

  it("keeps the cookie for this service: servers of workers get only the other cookies", () => {
    expect(withoutSessions("a=1; sv-session-7080=secret; b=2")).toBe("a=1; b=2");
    expect(withoutSessions("sv-session=secret")).toBeUndefined();
    expect(withoutSessions("sv-sessions=mine")).toBe("sv-sessions=mine");
  });

  it("bounds the number of sessions, and ends the least recently used one", () => {
    const dashboard = access();
    const [first, second] = [begin(dashboard), begin(dashboard)];
    for (let more = 2; more < MOST_SESSIONS; more += 1) begin(dashboard);
    expect(dashboard.keyIdOf(request(first))).toBe("k");
    begin(dashboard);
    expect(dashboard.keyIdOf(request(first))).toBe("k");
    expect(dashboard.keyIdOf(request(second))).toBeUndefined();
  });
});
