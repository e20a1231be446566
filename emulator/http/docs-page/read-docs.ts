/** `GET /docs`: a page on which the interface can be read and tried (live); it needs no network and loads nothing from elsewhere. */
import type { Operation } from "../operation.ts";
import { PAGE_FILES, readPageFile } from "./files.ts";

/** Nothing but what this service serves is loaded, run or called. The pictures are part of the style sheet. */
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

export const readDocs: Operation = {
  methods: ["GET"],
  path: "/docs",
  body: "skipped",
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
