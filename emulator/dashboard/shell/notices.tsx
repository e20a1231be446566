/** Shows notices for a while. Screen readers read them out. */
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Icon } from "../components/icon.tsx";
import type { Notice } from "../state/state.ts";
import { dispatch, usePart } from "../state/store.ts";

/** Time for which a notice is shown, ms. Problems stay until they are closed. */
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
      <Button kind="bare" icon="close" label="Close" onPress={dismiss} />
    </div>
  );
}
