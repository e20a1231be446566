/** The operations that serve the documentation page. */
import { ServiceError } from "../../../core/service-error.ts";
import type { Operation } from "../../operation/operation.ts";
import { isPageFile, PAGE_FILES, readPageFile } from "./files.ts";

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

const readFile: Operation<{ readonly file: string }> = {
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
  readDocsFile: readFile,
};
