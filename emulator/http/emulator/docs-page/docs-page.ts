/** The operations that serve the documentation page. */
import { ServiceError } from "../../../core/service-error.ts";
import type { Operation } from "../../operation/operation.ts";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/** Files of the documentation page: two of ours, and Swagger UI's, which the build puts beside them. */
const PAGE_FILES = {
  "page.html": "text/html; charset=utf-8",
  "show.js": "text/javascript; charset=utf-8",
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
} as const;

type PageFile = keyof typeof PAGE_FILES;

function isPageFile(name: string): name is PageFile {
  return Object.hasOwn(PAGE_FILES, name);
}

function readPageFile(name: PageFile): Promise<Buffer> {
  return readFile(placeOf(name));
}

function placeOf(name: PageFile): string {
  const isBuilt = !import.meta.url.endsWith(".ts");
  if (isBuilt || !name.startsWith("swagger-ui")) {
    return fileURLToPath(new URL(`./${name}`, import.meta.url));
  }
  return createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`);
}

/** The page may load, run and call only what this service serves. Pictures are part of the style sheet. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const find: Operation = {
  methods: ["GET"],
  path: "/v1/docs",
  owner: "any",
  access: "anyone",
  contract: {
    tag: "documentation",
    answers: { 302: { description: "The page is at `/docs`.", content: {} } },
  },
  perform: async ({ dialect }) => ({
    status: 302,
    pieces: [],
    headers: { location: `${dialect.basePath}/docs` },
  }),
};

const read: Operation = {
  methods: ["GET"],
  path: "/docs",
  owner: "any",
  access: "anyone",
  contract: {
    tag: "documentation",
    answers: {
      200: { description: "The page.", content: { "text/html": "HTML." } },
    },
  },
  async perform() {
    return {
      status: 200,
      pieces: [await readPageFile("page.html")],
      headers: {
        "content-type": PAGE_FILES["page.html"],
        "content-security-policy": POLICY,
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
      },
    };
  },
};

const readDocsFile: Operation<{ readonly file: string }> = {
  methods: ["GET"],
  path: "/docs/:file",
  owner: "any",
  access: "anyone",
  contract: {
    tag: "documentation",
    answers: {
      200: {
        description: "The file.",
        content: { "text/javascript": "A script.", "text/css": "A style sheet." },
      },
    },
  },
  async perform({ path: { file } }) {
    if (!isPageFile(file) || file === "page.html") {
      throw new ServiceError("not_found", `the documentation page has no file "${file}"`);
    }
    return {
      status: 200,
      pieces: [await readPageFile(file)],
      headers: { "content-type": PAGE_FILES[file], "x-content-type-options": "nosniff" },
    };
  },
};

export const DOCS_OPERATIONS = {
  /** `GET /v1/docs`: redirects from the live service's address of the documentation page (live). */
  findDocs: find,
  /** `GET /docs`: a page to read and try the interface (live); it needs no network and loads nothing from elsewhere. */
  readDocs: read,
  /** `GET /docs/{file}`: the scripts and styles of the documentation page (ours). */
  readDocsFile,
};
