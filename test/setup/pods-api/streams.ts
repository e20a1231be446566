/** Streamed answers: watches with bookmarks, and logs. */
import type { ServerResponse } from "node:http";
import type { ContainerProcess, LogLine } from "./container-process.ts";
import { type Happening, type Kind, type Objects, selected, type Stored } from "./objects.ts";
import { ApiProblem } from "./problem.ts";

const BOOKMARK_MS = 200;

export function streamEvents(
  response: ServerResponse,
  objects: Objects,
  kind: Kind,
  query: URLSearchParams,
): void {
  const isSelected = selected(query);
  const say = (type: string, object: object) =>
    response.write(`${JSON.stringify({ type, object })}\n`);
  const tell = (happening: Happening) => {
    if (happening.kind === kind && isSelected(happening.object))
      say(happening.type, happening.object);
  };
  response.writeHead(200, { "content-type": "application/json" });
  response.flushHeaders();
  try {
    for (const happening of objects.since(query.get("resourceVersion") ?? "0")) tell(happening);
  } catch (error) {
    if (error instanceof ApiProblem) say("ERROR", error.status);
    return void response.end();
  }
  const unlisten = objects.listen(tell);
  const bookmark = { kind: "Pod", apiVersion: "v1", metadata: { resourceVersion: "" } };
  const marks = setInterval(() => {
    bookmark.metadata.resourceVersion = objects.version;
    if (query.get("allowWatchBookmarks") === "true") say("BOOKMARK", bookmark);
  }, BOOKMARK_MS);
  const over = setTimeout(
    () => response.end(),
    Number(query.get("timeoutSeconds") ?? 1_800) * 1_000,
  );
  response.once("close", () => {
    unlisten();
    clearInterval(marks);
    clearTimeout(over);
  });
}

/** Streams a log. `sinceTime` counts in whole seconds. @throws ApiProblem 400 for a container that never ran */
export function streamLog(
  response: ServerResponse,
  pod: Stored,
  container: ContainerProcess | undefined,
  query: URLSearchParams,
): void {
  if (container === undefined)
    throw new ApiProblem(
      400,
      "BadRequest",
      `container "worker" in pod "${pod.metadata.name}" is waiting to start: ContainerCreating`,
    );
  const since = (query.get("sinceTime") ?? "").slice(0, 19);
  let next = container.log.findIndex(({ at }) => at.slice(0, 19) >= since);
  if (next < 0) next = container.log.length;
  const hasTimes = query.get("timestamps") === "true";
  const write = ({ at, text }: LogLine) =>
    response.write(hasTimes ? `${at} ${text}\n` : `${text}\n`);
  response.writeHead(200, { "content-type": "text/plain" });
  response.flushHeaders();
  const more = () => {
    for (; next < container.log.length; next += 1) {
      const line = container.log[next];
      if (line !== undefined) write(line);
    }
    if (container.isOver || query.get("follow") !== "true") response.end();
  };
  const unfollow = container.follow(more);
  response.once("close", unfollow);
  more();
}
