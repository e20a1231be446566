/** Shows what was done or went wrong for a while, and has it read out. */
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Icon } from "../components/icon.tsx";
import type { Notice } from "../state/notices.ts";
import { dispatch, usePart } from "../state/store.ts";

/** Problems stay until they are put away. */
const SHOWN_MS = 4_000;

export function Notices(): JSX.Element {
  const notices = usePart((state) => state.notices);
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.map((notice) => (
        <NoticeLine key={notice.id} notice={notice} />
      ))}
    </div>
  );
}

function NoticeLine({ notice: { id, kind, text } }: { readonly notice: Notice }): JSX.Element {
  const dismiss = () => dispatch({ type: "dismissed", id });
  useEffect(() => {
    if (kind === "problem") return undefined;
    const timer = setTimeout(dismiss, SHOWN_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class={`notice ${kind}`}>
      <Icon name={kind === "done" ? "done" : "warning"} />
      <span>{text}</span>
      <Button kind="bare" icon="close" label="Put away" onPress={dismiss} />
    </div>
  );
}
