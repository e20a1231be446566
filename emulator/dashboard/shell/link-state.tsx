/** Whether what is shown is what is: live, or how long until the service is asked again. */
import type { JSX } from "preact";
import { Badge } from "../components/status.tsx";
import { usePart } from "../state/store.ts";

export function LinkState(): JSX.Element {
  const link = usePart((state) => state.link);
  return (
    <span class="link-state" role="status">
      {link.phase === "live" && <Badge icon="done" word="live" tone="good" />}
      {link.phase === "connecting" && <Badge icon="running" word="connecting" tone="quiet" />}
      {link.phase === "waiting" && <Badge icon="warning" word="reconnecting …" tone="warn" />}
    </span>
  );
}
