/** Keys that are created, used and revoked over the interface. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KEY, makeKey, startTestHttp, type TestHttp, USER_KEY } from "../../http-harness.ts";

let service: TestHttp;
beforeEach(async () => (service = await startTestHttp({ dashboard: "on" })));
afterEach(async () => service[Symbol.asyncDispose]());

const as = (authorization: string) => ({ headers: { authorization } });
const health = (key: string) => service.call("GET", "/v2/echo/health", as(key));
const revoke = (id: string) => service.call("DELETE", `/emulator/keys/${id}`);
const make = (body: object) => service.call("POST", "/emulator/keys", { body });

describe("a key", () => {
  it("is shown once, and listed without its text, with the time of its last use", async () => {
    const made = await make({ name: "ci", scope: "read-only", expiresIn: "30d" });
    const { key, ...shown } = made.json as { key: string; id: string; createdAt: string };
    expect(made.status).toBe(201);
    expect(key).toMatch(/^sv_[\w-]{22,}$/u);
    const expiresAt = new Date(Date.parse(shown.createdAt) + 30 * 86_400_000).toISOString();
    expect(shown).toMatchObject({ name: "ci", scope: "read-only", expiresAt });
    const list = async () => (await service.call("GET", "/emulator/keys")).json;
    expect(await list()).toEqual({ keys: [shown] });
    const lastUsedAt = new Date(service.test.engine.clock.now()).toISOString();
    expect((await health(key)).status).toBe(200);
    expect(await list()).toEqual({ keys: [{ ...shown, lastUsedAt }] });
    const stored = JSON.stringify(service.test.engine.steps.records.all("apiKey"));
    expect(stored).not.toContain(key);
  });

  it("is valid until it expires by service time, after which refusals say that it has expired", async () => {
    const { key } = await makeKey(service, { name: "ci", scope: "all", expiresIn: "1h" });
    await service.call("POST", "/emulator/clock", { body: { advance: "59m" } });
    expect((await health(key)).status).toBe(200);
    await service.call("POST", "/emulator/clock", { body: { advance: "1m" } });
    expect(await health(key)).toMatchObject({
      status: 401,
      json: { code: "key_expired", error: expect.stringContaining('"ci" has expired at') },
    });
  });

  it("is refused after its revocation like an unknown key", async () => {
    const { key, id } = await makeKey(service, { name: "ci", scope: "all" });
    expect((await health(key)).status).toBe(200);
    expect((await revoke(id)).status).toBe(204);
    const unknown = await health("sv_nobody-has-this-one");
    expect(await health(key)).toMatchObject({ status: 401, json: unknown.json });
    expect(unknown.json).toMatchObject({ code: "unauthorized", error: "the API key is wrong" });
    expect(await revoke(id)).toMatchObject({ status: 404, json: { code: "key_not_found" } });
  });

  it.each(["expires", "is revoked"])(
    "that %s ends its event feeds, log feeds and streams of jobs, and no other ones",
    async (how) => {
      const { key, id } = await makeKey(service, { scope: "all", expiresIn: "1h" });
      const submitted = await service.call("POST", "/v2/echo/run", { body: { input: {} } });
      const { id: jobId } = submitted.json as { id: string };
      const accept = "text/event-stream";
      const open = async (path: string, authorization: string) => {
        const { body, statusCode } = await service.open(path, { authorization, accept });
        expect(statusCode, path).toBe(200);
        const closed = new Promise((resolve) => body.on("error", resolve).once("close", resolve));
        body.resume();
        return { body, closed };
      };
      const paths = ["/emulator/events", "/emulator/logs", `/v2/echo/stream/${jobId}`];
      const own = await Promise.all(paths.map((path) => open(path, key)));
      const others = await Promise.all(paths.map((path) => open(path, KEY)));
      if (how === "expires")
        await service.call("POST", "/emulator/clock", { body: { advance: "1h" } });
      else expect((await revoke(id)).status).toBe(204);
      await Promise.all(own.map(({ closed }) => closed));
      expect(others.map(({ body }) => body.closed)).toEqual([false, false, false]);
      for (const { body } of others) body.destroy();
    },
  );

  it.each(["a\u0007b", "a\nb", "a\u009bb", "a\u202eb", "a\u2028b"])(
    "cannot have a control character in its name: %j",
    async (name) => {
      expect(await make({ name, scope: "all" })).toMatchObject({
        status: 400,
        json: {
          error: expect.stringContaining("name must be a string without control characters"),
        },
      });
    },
  );

  it("with the scope jobs is valid for its endpoints in both dialects, and for no others", async () => {
    await service.test.addEndpoint("other");
    const { key } = await makeKey(service, { scope: "jobs", endpointIds: ["echo"] });
    for (const base of ["", "/live"]) {
      const body = { input: {} };
      const run = await service.call("POST", `${base}/v2/echo/run`, { body, ...as(key) });
      expect(run.status).toBe(200);
      const { id } = run.json as { id: string };
      for (const [method, path] of [
        ["GET", `status/${id}?ttl=60000`],
        ["POST", `cancel/${id}`],
        ["GET", `stream/${id}`],
        ["POST", "purge-queue"],
      ] as const) {
        const answer = await service.call(method, `${base}/v2/echo/${path}`, as(key));
        expect.soft(answer.status, path).toBe(200);
      }
      const refused = await service.call("POST", `${base}/v2/other/run`, { body, ...as(key) });
      expect(refused.status).toBe(403);
      expect(refused.text).toContain("which opens jobs of the endpoints it names: echo");
      expect((await service.call("POST", `${base}/v2/no/run`, { body, ...as(key) })).status).toBe(
        403,
      );
      expect((await service.call("GET", `${base}/v1/endpoints`, as(key))).status).toBe(403);
    }
  });

  it("without the right to list endpoints gets a document without their handlers", async () => {
    const { key } = await makeKey(service, { scope: "jobs", endpointIds: ["echo"] });
    const teller = { endpointId: "echo", endpointVersion: 1 };
    service.test.engine.schemas.note(teller, Buffer.from('{"input":{"type":"object"}}'));
    const paths = async (authorization: string) => {
      const { json } = await service.call("GET", "/v1/openapi.json", as(authorization));
      return Object.keys((json as { paths: object }).paths);
    };
    expect(await paths(key)).not.toContain("/v2/echo/run");
    expect(await paths(KEY)).toContain("/v2/echo/run");
  });

  it("is refused at creation for invalid fields", async () => {
    await makeKey(service, { name: "ci", scope: "all" });
    for (const [body, code] of [
      [{ name: "ci", scope: "all" }, "key_name_taken"],
      [{ name: "admin key", scope: "all" }, "key_name_taken"],
      [{ name: "a", scope: "jobs", endpointIds: ["nowhere"] }, "endpoint_not_found"],
      [{ name: "a", scope: "jobs" }, "invalid_request"],
      [{ name: "a", scope: "jobs", endpointIds: [] }, "invalid_request"],
      [{ name: "a", scope: "all", endpointIds: ["echo"] }, "invalid_request"],
      [{ name: "a", scope: "user" }, "invalid_request"],
      [{ name: "a" }, "invalid_request"],
      [{ name: "", scope: "all" }, "invalid_request"],
      [{ name: "a", scope: "all", expiresIn: "" }, "invalid_request"],
      [{ name: "a", scope: "all", expiresIn: "soon" }, "invalid_request"],
      [{ name: "a", scope: "all", expiresIn: "0s" }, "invalid_request"],
      [{ name: "a", scope: "all", expiresIn: "3661d" }, "invalid_request"],
      [{ name: "a", scope: "all", expiresAt: "2030-01-01" }, "invalid_request"],
    ] as const)
      expect.soft((await make(body)).json, JSON.stringify(body)).toMatchObject({ code });
    const { json } = await service.call("GET", "/emulator/keys");
    expect((json as { keys: unknown[] }).keys).toHaveLength(1);
  });

  it("given at the start cannot be revoked, and is not listed", async () => {
    for (const id of ["user", "admin", "users", "dashboard"])
      expect((await revoke(id)).json).toMatchObject({ code: "key_not_found" });
    expect((await health(KEY)).status).toBe(200);
    expect((await service.call("GET", "/emulator/keys")).json).toEqual({ keys: [] });
    expect((await service.call("GET", "/emulator/keys", as(USER_KEY))).status).toBe(403);
  });

  it("cannot be created or revoked with a key of the scope management", async () => {
    const { key, id } = await makeKey(service, { scope: "management" });
    const body = { name: "more", scope: "all" };
    expect((await service.call("POST", "/emulator/keys", { body, ...as(key) })).status).toBe(403);
    expect((await service.call("DELETE", `/emulator/keys/${id}`, as(key))).status).toBe(403);
    expect((await service.call("GET", "/v1/endpoints", as(key))).status).toBe(200);
  });
});

describe("a dashboard that a key has opened", () => {
  const own = { origin: "http://x", host: "x", "x-sv-dashboard": "1", authorization: "" };

  async function ask(line: string, headers: Record<string, string>, body = ""): Promise<string> {
    const { authorization: _, ...others } = { ...own, ...headers };
    const sent = { ...others, "content-length": String(body.length), connection: "close" };
    const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
    return service.raw(`${line} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
  }

  async function enter(body: object): Promise<{ answer: string; cookie: string }> {
    const answer = await ask("POST /emulator/session", {}, JSON.stringify(body));
    const [, cookie = ""] = /^set-cookie: ([^;]*)/imu.exec(answer) ?? [];
    return { answer, cookie };
  }

  it("has the rights of the key: a key of the scope read-only can only read", async () => {
    const { key } = await makeKey(service, { scope: "read-only" });
    const { answer, cookie } = await enter({ key });
    expect(answer).toContain("201 Created");
    expect(answer).toContain('{"dashboard":"read-only"}');
    expect(await ask("GET /emulator/session", { cookie })).toContain('{"dashboard":"read-only"}');
    expect(await ask("GET /v2/echo/health", { cookie })).toContain("200 OK");
    expect(await ask("POST /v2/echo/run", { cookie }, '{"input":{}}')).toContain(
      '"code":"insufficient_scope"',
    );
  });

  it("is not opened by a key for jobs", async () => {
    const { key } = await makeKey(service, { scope: "jobs", endpointIds: ["echo"] });
    expect((await enter({ key })).answer).toMatch(/403 Forbidden.*insufficient_scope/su);
  });

  it("ends when the key is revoked, as does a link that was made with it", async () => {
    const { key, id } = await makeKey(service, { scope: "all" });
    const link = await service.call("POST", "/emulator/tickets", as(key));
    const late = await service.call("POST", "/emulator/tickets", as(key));
    const { cookie } = await enter(link.json as object);
    expect(await ask("GET /emulator/jobs", { cookie })).toContain("200 OK");
    await revoke(id);
    expect(await ask("GET /emulator/jobs", { cookie })).toContain("401 Unauthorized");
    expect((await enter(late.json as object)).answer).toContain("401 Unauthorized");
  });
});
