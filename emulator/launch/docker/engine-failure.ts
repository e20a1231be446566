/** Turns an error of dockerode into an {@link EngineError}. Pure. */
import { dockerUnreachable } from "../../docker/docker-unreachable.ts";
import { EngineError } from "./container-engine.ts";

/** What comes of a connection that cannot be made or breaks off. Any other error without a status is that of the question alone. */
const CONNECTION_FAILED: ReadonlySet<unknown> = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "EPIPE", "ETIMEDOUT"],
  ...["ENOENT", "ENOTDIR", "EACCES", "EPERM"],
  ...["ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "EHOSTDOWN", "ENETUNREACH", "ENETDOWN"],
]);

/** @param host as `DOCKER_HOST` names it, if it is set */
export function asEngineError(error: unknown, host: string | undefined): EngineError {
  if (error instanceof EngineError) return error;
  const status = statusOf(error);
  if (status !== undefined) return new EngineError(messageOf(error), status, { cause: error });
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const contact = CONNECTION_FAILED.has(code) ? "lost" : "kept";
  return new EngineError(dockerUnreachable(error, host), undefined, { cause: error, contact });
}

export function statusOf(error: unknown): number | undefined {
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined;
  return typeof status === "number" ? status : undefined;
}

/** The engine's own sentence, without what the library puts around it. */
function messageOf(error: unknown): string {
  const json = error instanceof Error && "json" in error ? error.json : undefined;
  if (typeof json === "object" && json !== null && "message" in json) return String(json.message);
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/^\(HTTP code \d+\) [^-]* - /u, "").trim();
}
