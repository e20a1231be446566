/** The operations that serve the dashboard's page and its files. */
import { ServiceError } from "../../../core/service-error.ts";
import { admit } from "../../operation/access/admission.ts";
import { preferredType } from "../../operation/answers/preferred-type.ts";
import type { WholeAnswer } from "../../operation/answers/answer.ts";
import type { Call, Operation } from "../../operation/operation.ts";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip as gzipWithCallback } from "node:zlib";

/** The page may load, run and call only what this service serves; outputs may contain pictures. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const readPage: Operation = {
  methods: ["GET"],
  path: "/",
  owner: "any",
  access: "anyone",
  contract: {
    tag: "emulator",
    answers: {
      200: {
        description: "The page, for a client that prefers `text/html`.",
        content: { "text/html": "HTML." },
      },
    },
    errors: ["unauthorized", "not_found"],
  },
  async perform(call) {
    const { service, request } = call;
    const wanted = preferredType(request.headers.accept, ["application/json", "text/html"]);
    const isShown = wanted === "text/html" && !service.dashboard.isOff;
    const file = isShown ? await dashboardFile(PAGE) : undefined;
    if (file === undefined) {
      // Without the page, the request is refused like one to an unknown path.
      admit(service, request);
      throw new ServiceError("not_found", "there is no operation at /");
    }
    return answerOf(call, file, {
      "content-security-policy": POLICY,
      "referrer-policy": "no-referrer",
      // The page names the files of this build, so it must not be cached.
      "cache-control": "no-cache",
    });
  },
};

const readDashboardFile: Operation<{ readonly file: string }> = {
  methods: ["GET"],
  path: "/ui/:file",
  owner: "any",
  access: "anyone",
  contract: {
    tag: "emulator",
    answers: {
      200: {
        description: "The file.",
        content: { "text/javascript": "A script.", "text/css": "A style sheet." },
      },
    },
    errors: ["not_found"],
  },
  async perform(call) {
    const { file: name } = call.path;
    const file = call.service.dashboard.isOff ? undefined : await dashboardFile(name);
    if (file === undefined || name === PAGE) {
      throw new ServiceError("not_found", `the dashboard has no file "${name}"`);
    }
    // The name of a file changes with its content.
    return answerOf(call, file, { "cache-control": "public, max-age=31536000, immutable" });
  },
};

function answerOf(
  { request }: Pick<Call<unknown>, "request">,
  { mediaType, bytes, zipped }: DashboardFile,
  headers: Readonly<Record<string, string>>,
): WholeAnswer {
  const takesZipped = /\bgzip\b/iu.test(request.headers["accept-encoding"]?.toString() ?? "");
  return {
    status: 200,
    pieces: [takesZipped ? zipped : bytes],
    headers: {
      "content-type": mediaType,
      "x-content-type-options": "nosniff",
      vary: "Accept, Accept-Encoding",
      ...(takesZipped && { "content-encoding": "gzip" }),
      ...headers,
    },
  };
}

export const DASHBOARD_PAGE_OPERATIONS = {
  /** `GET /`: the dashboard, for browsers; it shows data only with a session (ours). */
  readDashboard: readPage,
  /** `GET /ui/{file}`: the scripts and styles of the dashboard (ours). */
  readDashboardFile,
};

const gzip = promisify(gzipWithCallback);

const MEDIA_TYPES = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
} as const;

type Ending = keyof typeof MEDIA_TYPES;

const PAGE = "page.html";

interface DashboardFile {
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly zipped: Buffer;
}

/** All files are read once, at the first request. */
let files: Promise<ReadonlyMap<string, DashboardFile>> | undefined;

/**
 * Undefined for an unknown name.
 * @throws Error if the dashboard was not built
 */
async function dashboardFile(name: string): Promise<DashboardFile | undefined> {
  files ??= readAll(folder());
  return (await files).get(name);
}

async function readAll(from: string): Promise<ReadonlyMap<string, DashboardFile>> {
  const names = (await readdir(from)).filter((name) => endingOf(name) !== undefined);
  const entries = names.map(async (name): Promise<[string, DashboardFile]> => {
    const bytes = await readFile(`${from}${name}`);
    const mediaType = MEDIA_TYPES[endingOf(name) ?? "js"];
    return [name, { mediaType, bytes, zipped: await gzip(bytes) }];
  });
  return new Map(await Promise.all(entries));
}

function endingOf(name: string): Ending | undefined {
  const ending = name.slice(name.lastIndexOf(".") + 1);
  return Object.hasOwn(MEDIA_TYPES, ending) ? (ending as Ending) : undefined;
}

/** Browsers need the built files: these are served even when the service runs from source. */
function folder(): string {
  const isBuilt = !import.meta.url.endsWith(".ts");
  const place = isBuilt ? "../../../dashboard/" : "../../../../dist/emulator/dashboard/";
  return fileURLToPath(new URL(place, import.meta.url));
}
