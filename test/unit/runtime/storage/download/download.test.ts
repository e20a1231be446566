/** A download ends as a whole file in the job's directory, or as an error with its reason and no file. */
import fs from "node:fs";
import path from "node:path";
import { Agent } from "undici";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { download } from "../../../../../runtime/storage/download/download.ts";
import { openUrl, retrying } from "../../../../../runtime/storage/download/open-url.ts";
import { temporaryDirectory } from "../../../../setup/temporary-directory.ts";
import { FakeS3, refusal } from "../fake-s3.ts";
import { job } from "./download-job.ts";
import { fileServer } from "./file-server.ts";
import { storeOn } from "../store-on.ts";

test("a file arrives with its name, size and type, each time in its own directory", async () => {
  await using server = await fileServer((response) => {
    response.writeHead(200, { "content-type": "image/png" }).end("a picture");
  });
  const { get, left } = job();
  const [first, second] = await Promise.all([
    get(`${server.url}/deep/cat%20one.png?size=2#top`),
    get(new URL(`${server.url}/deep/cat%20one.png`)),
  ]);
  expect(first).toMatchObject({ sizeBytes: 9, contentType: "image/png" });
  expect(path.basename(first.path)).toBe("cat one.png");
  expect(fs.readFileSync(second.path, "utf8")).toBe("a picture");
  expect(left()).toHaveLength(2);
  expect(server.asked.map((each) => each.path).toSorted()).toEqual([
    "/deep/cat%20one.png",
    "/deep/cat%20one.png?size=2",
  ]);
});

test.each(["localhost", "127.0.0.1", "[::1]"])(
  "%s in a container is pointed out when nothing answers there",
  async (host) => {
    vi.stubEnv("KUBERNETES_SERVICE_HOST", "10.0.0.1");
    const server = await fileServer((response) => void response.end("x"));
    const { port } = new URL(server.url);
    await server[Symbol.asyncDispose]();
    const dispatcher = new Agent();
    onTestFinished(() => dispatcher.destroy());
    const terms = { idleTimeoutMs: 1_000, maxRedirects: 0, signal: new AbortController().signal };
    await expect(
      openUrl(new URL(`http://${host}:${port}/`), { ...terms, dispatcher }),
    ).rejects.toThrow(
      `in this container ${host} is the container itself: use host.docker.internal`,
    );
  },
);

test("a name given by the caller is used, and cannot leave the directory", async () => {
  await using server = await fileServer((response) => void response.end("x"));
  const { get } = job();
  const { path: file, contentType } = await get(server.url, { fileName: "../../etc/pass\nwd" });
  expect(path.basename(file)).toBe("pass_wd");
  expect(contentType).toBe("application/octet-stream");
});

describe("a limit on the size", () => {
  test.each([
    ["announced", { "content-length": "1001" }],
    ["not announced", {}],
  ])("ends a transfer that is %s to be larger, and leaves no file", async (_, headers) => {
    await using server = await fileServer((response) => {
      response.writeHead(200, headers);
      response.write(Buffer.alloc(600));
      response.end(Buffer.alloc(401));
    });
    const { get, left } = job();
    await expect(get(`${server.url}/f`, { maxBytes: 1_000 })).rejects.toMatchObject({
      code: "download_too_large",
      message: `${server.url}/f is larger than 1000 bytes, the maximum of this download.`,
    });
    expect(left()).toEqual([]);
    expect((await get(`${server.url}/f`, { maxBytes: 1_001 })).sizeBytes).toBe(1_001);
  });
});

describe("redirects", () => {
  test("are followed; the caller's headers go to the first origin only", async () => {
    await using target = await fileServer((response) => void response.end("there"));
    await using server = await fileServer((response, { url }) => {
      const location = url === "/1" ? "/2" : `${target.url}/3`;
      response.writeHead(302, { location }).end("elsewhere");
    });
    const headers = { authorization: "Bearer t" };
    const { path: file } = await job().get(`${server.url}/1`, { headers });
    expect(fs.readFileSync(file, "utf8")).toBe("there");
    expect(server.asked.map((each) => each.headers.authorization)).toEqual([
      "Bearer t",
      "Bearer t",
    ]);
    expect(target.asked.map((each) => each.headers.authorization)).toEqual([undefined]);
  });

  test.each([
    ["UTF-8", "/d\u00c3\u00bcr", "/d%C3%BCr"],
    ["Latin-1", "/d\u00fcr", "/d%C3%BCr"],
    ["percent signs", "/d%C3%BCr", "/d%C3%BCr"],
  ])("with a Location in %s lead to its letters", async (_, location, wanted) => {
    await using server = await fileServer((response, { url }) => {
      if (url === "/1") response.writeHead(302, { location }).end();
      else response.end("there");
    });
    await job().get(`${server.url}/1`);
    expect(server.asked.at(-1)?.path).toBe(wanted);
  });

  test("are limited in number, and lead to http and https only", async () => {
    await using server = await fileServer((response, { url }) => {
      const location = url === "/loop" ? "/loop" : "file:///etc/passwd";
      response.writeHead(301, { location }).end();
    });
    const { get, left } = job();
    await expect(get(`${server.url}/loop`, { maxRedirects: 3 })).rejects.toMatchObject({
      code: "download_failed",
      message: `${server.url}/loop cannot be fetched: it answered 301: after 3 redirects, with another.`,
    });
    expect(server.asked).toHaveLength(4);
    await expect(get(`${server.url}/file`)).rejects.toThrow("a redirect to an file: address");
    expect(left()).toEqual([]);
  });
});

describe("a server that sends no file", () => {
  test.each([
    [404, "no such cat", "it answered 404: no such cat."],
    [403, "<html>Forbidden</html>", "it answered 403."],
    [204, "", "it answered 204."],
    [410, `no ${"more ".repeat(100_000)}`, `it answered 410: no ${"more ".repeat(59)}mo….`],
  ])("is quoted in the error: %i", async (status, body, says) => {
    await using server = await fileServer((response) => void response.writeHead(status).end(body));
    const { get, left } = job();
    await expect(get(`${server.url}/f?token=secret`)).rejects.toMatchObject({
      code: "download_failed",
      message: `${server.url}/f cannot be fetched: ${says}`,
    });
    expect(left()).toEqual([]);
  });

  test("is given up after the idle time", async () => {
    await using server = await fileServer(() => {});
    const { get, left } = job();
    await expect(get(`${server.url}/f`, { idleTimeoutMs: 100 })).rejects.toMatchObject({
      code: "download_failed",
      message: `${server.url}/f cannot be fetched: no answer: Headers Timeout Error.`,
    });
    expect(left()).toEqual([]);
  });

  test("is given up after the time limit of the download", async () => {
    await using server = await fileServer((response) => response.flushHeaders());
    const { get, left } = job();
    await expect(get(`${server.url}/f`, { timeoutMs: 50 })).rejects.toMatchObject({
      code: "download_failed",
      message: `${server.url}/f cannot be fetched: it took longer than 50 ms.`,
    });
    expect(left()).toEqual([]);
  });

  test("is given up when the job is stopped", async () => {
    const stop = new AbortController();
    const reason = new DOMException("The job was stopped.", "AbortError");
    await using server = await fileServer((response) => {
      response.write("a");
      stop.abort(reason);
    });
    const { get, left } = job();
    await expect(get(`${server.url}/f`, {}, stop.signal)).rejects.toBe(reason);
    expect(left()).toEqual([]);
  });
});

test.each(["ftp://host/file", "s3://bucket/key", "", new URL("file:///etc/passwd")])(
  "a source that is neither a web address nor a key is refused: %s",
  async (from) => {
    await expect(job().get(from)).rejects.toThrow(/is neither\.$/);
  },
);

describe("a broken transfer", () => {
  const dispatcher = retrying(new Agent(), { tries: 3, firstMs: 1, maxMs: 1 });
  const terms = {
    dispatcher,
    maxRedirects: 0,
    idleTimeoutMs: 5_000,
    signal: new AbortController().signal,
  };
  const whole = Buffer.alloc(300_000, "0123456789");

  test("continues where it broke", async () => {
    await using server = await fileServer((response, { headers }, count) => {
      const from = Number(/^bytes=(\d+)-/.exec(headers.range ?? "")?.[1] ?? 0);
      response.writeHead(from === 0 ? 200 : 206, {
        etag: '"e"',
        "content-length": whole.length - from,
        ...(from === 0
          ? {}
          : { "content-range": `bytes ${from}-${whole.length - 1}/${whole.length}` }),
      });
      if (count === 3) return void response.end(whole.subarray(from));
      response.write(whole.subarray(from, from + 100_000), () => response.destroy());
    });
    const { stream } = await openUrl(new URL(server.url), terms);
    expect(Buffer.concat(await stream.toArray()).equals(whole)).toBe(true);
    expect(server.asked).toHaveLength(3);
    expect(server.asked.at(-1)?.headers["if-match"]).toBe('"e"');
  });

  test("is tried again, also after 503, and at last the answer is reported", async () => {
    await using server = await fileServer((response, _, count) => {
      response.writeHead(count === 3 ? 200 : 503).end("body");
    });
    await expect(openUrl(new URL(server.url), terms)).resolves.toBeDefined();
    await using never = await fileServer((response) => void response.writeHead(503).end("busy"));
    await expect(openUrl(new URL(never.url), terms)).rejects.toMatchObject({
      status: 503,
      said: "busy",
    });
    expect(never.asked).toHaveLength(3);
  });
});

describe("a key", () => {
  test("is fetched from the private bucket with the job's credentials", async () => {
    await using fake = await FakeS3.start();
    const { store, upload } = storeOn(fake.url);
    await upload("in/a b.txt", "content");
    const directory = temporaryDirectory();
    onTestFinished(() => directory[Symbol.dispose]());
    const terms = {
      store: () => Promise.resolve(store),
      tempDir: () => directory.path,
      signal: new AbortController().signal,
    };
    const options = { forbidPrivateAddresses: true };
    const { path: file, sizeBytes, contentType } = await download("in/a b.txt", options, terms);
    expect(path.basename(file)).toBe("a b.txt");
    expect([fs.readFileSync(file, "utf8"), sizeBytes]).toEqual(["content", 7]);
    expect(contentType).toBe("text/plain; charset=utf-8");
  });

  test("that is missing or forbidden is reported as such", async () => {
    await using fake = await FakeS3.start();
    const { store } = storeOn(fake.url);
    const terms = { idleTimeoutMs: 1_000, signal: new AbortController().signal };
    await expect(store.get("k", terms)).rejects.toMatchObject({
      code: "storage_not_found",
      message: `The object "k" cannot be fetched from the bucket "b" of ${fake.url}: it does not exist (404 This is NoSuchKey).`,
    });
    fake.trouble("get", refusal(403, "AccessDenied"));
    await expect(store.get("k", terms)).rejects.toMatchObject({ code: "storage_access_denied" });
  });
});
