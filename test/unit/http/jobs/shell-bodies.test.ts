/** Bodies as shells of Windows send them: a byte order mark is taken, and what is wrong is named with the line that is right. */
import { describe, expect, it } from "vitest";
import { startTestHttp } from "../http-harness.ts";

const MARK = Buffer.of(0xef, 0xbb, 0xbf);
const CURL = String.raw`write curl -d "{\"input\": {}}"`;

describe("a byte order mark of UTF-8", () => {
  it("is no part of a job's input", async () => {
    await using service = await startTestHttp();
    const body = Buffer.concat([MARK, Buffer.from('{"input":{"text":"ä"}}')]);
    const { status } = await service.call("POST", "/v2/echo/run", { body });
    expect(status).toBe(200);
    const worker = await service.test.connectWorker();
    const { input } = await worker.nextJob();
    expect(Buffer.from(input).toString()).toBe('{"text":"ä"}');
  });

  it("is no part of a body of the management interface, nor of an OpenAI call", async () => {
    await using service = await startTestHttp();
    const template = Buffer.from('{"name":"marked","imageName":"image"}');
    const body = Buffer.concat([MARK, template]);
    const { status, json } = await service.call("POST", "/v1/templates", { body });
    expect([status, json]).toEqual([200, expect.objectContaining({ name: "marked" })]);
    const chat = Buffer.concat([MARK, Buffer.from('{"model":"m"}')]);
    const path = "/v2/echo/openai/v1/chat/completions";
    const answer = service.call("POST", path, { body: chat });
    const worker = await service.test.connectWorker();
    const job = await worker.nextJob();
    expect(JSON.parse(Buffer.from(job.input).toString())).toMatchObject({
      openai_input: { model: "m" },
    });
    await worker.complete(job, { id: 1 });
    expect((await answer).status).toBe(200);
  });
});

describe("a refusal names", () => {
  const json = '{"input":{"name":"Ada"}}';
  it.each([
    ["single quotes that cmd passed on", `'${json}'`, CURL],
    ["single quotes without the inner ones", "'{input:{name:Ada}}'", CURL],
    ["keys whose quotes a shell took", "{input:{name:Ada}}", `shells take away; ${CURL}`],
    ["keys whose quotes a shell took, further inside", '{"input":{name:1}}', "shells take away"],
    ["single quotes of keys", "{'input':{}}", "JSON has double quotes"],
    ["UTF-16 with a mark", Buffer.from(`\uFEFF${json}`, "utf16le"), "save it as UTF-8"],
    ["UTF-16 of the other order", Buffer.from(`\uFEFF${json}`, "utf16le").swap16(), "as UTF-8"],
    ["UTF-16 without a mark", Buffer.from(json, "utf16le"), "it is UTF-16"],
    ["an object in a string", JSON.stringify(json), "it was made JSON twice"],
    ["an object in a string, with a mark", `\uFEFF${JSON.stringify(json)}`, "JSON twice"],
    ["an input in a string", JSON.stringify({ input: '{"name":"Ada"}' }), "JSON twice"],
  ])("%s", async (_, body, says) => {
    await using service = await startTestHttp();
    for (const path of ["/v2/echo/run", "/v2/echo/runsync"]) {
      const { status, json: refusal } = await service.call("POST", path, { body });
      expect([status, refusal]).toEqual([400, refusal]);
      expect(JSON.stringify(refusal).replaceAll(String.raw`\\\"`, String.raw`\"`)).toContain(
        JSON.stringify(says)
          .slice(1, -1)
          .replaceAll(String.raw`\\\"`, String.raw`\"`),
      );
    }
  });

  it("nothing of shells where a string is meant", async () => {
    await using service = await startTestHttp();
    const { json: refusal } = await service.call("POST", "/v2/echo/run", { body: '"hello"' });
    expect(JSON.stringify(refusal)).not.toContain("twice");
  });
});
