/** What a download sends to its source: user and password of the URL, the agent; and files that the URL itself holds. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { fileServer } from "./file-server.ts";
import { job } from "./download-job.ts";

describe("user and password of a URL", () => {
  const basic = `Basic ${Buffer.from("ü:p@ss").toString("base64")}`;

  test("are sent as Authorization, to its origin only, and not shown", async () => {
    await using other = await fileServer((response) => void response.end("x"));
    await using server = await fileServer((response, { url }) => {
      if (url === "/none") response.writeHead(404).end();
      else response.writeHead(302, { location: url === "/a" ? "/b" : `${other.url}/c` }).end();
    });
    const { get } = job();
    const url = server.url.replace("://", "://%C3%BC:p%40ss@");
    await get(`${url}/a`);
    expect(server.asked.map(({ headers }) => headers.authorization)).toEqual([basic, basic]);
    expect(other.asked.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    const failure = await get(`${url}/none`).catch((error: unknown) => String(error));
    expect(failure).toContain(`${server.url}/none cannot be fetched`);
    expect(failure).not.toMatch(/p%40ss|p@ss/u);
  });

  test("give way to a header of the caller, in any case", async () => {
    await using server = await fileServer((response) => void response.end("x"));
    const { get } = job();
    const headers = { Authorization: "Bearer t", "User-Agent": "mine" };
    await get(server.url.replace("://", "://u:p@"), { headers });
    expect(server.asked[0]?.headers).toMatchObject({
      authorization: "Bearer t",
      "user-agent": "mine",
    });
  });
});

test.each([
  [undefined, /^sv-runtime$/u],
  ["browser", /^Mozilla\/5\.0 .*Chrome\//u],
  ["curl/8", /^curl\/8$/u],
])("the agent %j is sent to every origin", async (userAgent, expected) => {
  await using other = await fileServer((response) => void response.end("x"));
  await using server = await fileServer((response) => {
    response.writeHead(302, { location: other.url }).end();
  });
  await job().get(server.url, userAgent === undefined ? {} : { userAgent });
  for (const { headers } of [...server.asked, ...other.asked])
    expect(headers["user-agent"]).toMatch(expected);
});

describe("a data URL", () => {
  test.each([
    ["data:text/plain;base64,aGk=", "hi", "text/plain"],
    ["DATA:image/svg+xml,%3Csvg%2F%3E", "<svg/>", "image/svg+xml"],
    ["data:,", "", "text/plain;charset=us-ascii"],
  ])("%s is the file", async (url, text, contentType) => {
    const { get } = job();
    for (const from of [url, new URL(url)]) {
      const file = await get(from);
      expect(fs.readFileSync(file.path, "utf8")).toBe(text);
      expect(file).toMatchObject({ sizeBytes: text.length, contentType });
    }
    const named = await get(url, { fileName: "a.png" });
    expect(path.basename(named.path)).toBe("a.png");
  });

  test("that is too large or not valid is refused without its content", async () => {
    const { get, left } = job();
    await expect(get("data:,abc", { maxBytes: 2 })).rejects.toMatchObject({
      code: "download_too_large",
      message: "The data URL is larger than 2 bytes, the maximum of this download.",
    });
    await expect(get("data:;base64,%")).rejects.toThrow("The data URL is not valid");
    expect(left()).toHaveLength(0);
  });
});
