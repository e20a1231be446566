/** `GET /docs/{file}`: the scripts and styles of the documentation page (ours). */
import { ServiceError } from "../../core/service-error.ts";
import type { Operation } from "../operation.ts";
import { isPageFile, PAGE_FILES, readPageFile } from "./files.ts";

export const readDocsFile: Operation<{ readonly file: string }> = {
  methods: ["GET"],
  path: "/docs/:file",
  body: "skipped",
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
