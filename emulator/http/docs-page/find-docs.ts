/** `GET /v1/docs`: leads to the documentation page from where the live service has it (live). */
import type { Operation } from "../operation.ts";

export const findDocs: Operation = {
  methods: ["GET"],
  path: "/v1/docs",
  body: "skipped",
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
