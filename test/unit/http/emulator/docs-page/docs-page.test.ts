/** The documentation page: its parts, its policy, and that it refers to no other server. */
import { expect, test } from "vitest";
import { startTestHttp, type TestHttp } from "../../http-harness.ts";

async function bodyOf(service: TestHttp, path: string): Promise<string> {
  const { statusCode, body } = await service.open(path);
  expect(statusCode, path).toBe(200);
  return body.text();
}

test("every file of the page is served, with its media type, and without a key", async () => {
  await using service = await startTestHttp();
  const page = await bodyOf(service, "/docs");
  const references = Array.from(page.matchAll(/(?:href|src)="([^"]*)"/g), ([, to = ""]) => to);
  expect(references.toSorted()).toEqual([
    "data:,",
    "docs/show.js",
    "docs/swagger-ui-bundle.js",
    "docs/swagger-ui.css",
    "v1/openapi.json",
  ]);
  for (const reference of references.filter((to) => !to.startsWith("data:"))) {
    const { statusCode, headers, body } = await service.open(`/${reference}`, {
      authorization: "",
    });
    expect(statusCode).toBe(200);
    const kind = /\.(js|css|json)$/.exec(reference)?.[1] ?? "";
    expect(headers["content-type"]).toMatch({ js: /script/, css: /css/, json: /json/ }[kind] ?? "");
    expect((await body.text()).length).toBeGreaterThan(100);
  }
});

test("the page of the interface lets a browser load and call this service alone", async () => {
  await using service = await startTestHttp();
  const { headers, body } = await service.open("/docs");
  await body.dump();
  const policy = String(headers["content-security-policy"]);
  const sources = policy.split("; ").map((directive) => directive.split(" ").slice(1));
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self';");
  expect(new Set(sources.flat())).toEqual(new Set(["'none'", "'self'", "data:"]));
});

test("the live service's path redirects to the page", async () => {
  await using service = await startTestHttp();
  const { status, headers, text } = await service.call("GET", "/v1/docs");
  expect([status, headers["location"], text]).toEqual([302, "/docs", ""]);
});

test.each(["page.html", "index.html", "..%2fpage.html", "swagger-ui.css.map", "__proto__"])(
  "the page has no file %s",
  async (name) => {
    await using service = await startTestHttp();
    const { status, json } = await service.call("GET", `/docs/${name}`);
    expect([status, json]).toMatchObject([404, { code: "not_found" }]);
  },
);
