/** A field for JSON with colours and matching brackets; its code is loaded with the first field. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Editor } from "../editor/editor.ts";
import { Loading, Problem } from "./states.tsx";

interface JsonEditorProps {
  readonly label: string;
  /** The text at first. */
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** Called for Ctrl-Enter. */
  readonly onSubmit: () => void;
}

export function JsonEditor({ label, text, onChange, onSubmit }: JsonEditorProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | undefined>(undefined);
  const latest = useRef({ onChange, onSubmit });
  latest.current = { onChange, onSubmit };
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [isThere, setThere] = useState(false);
  useEffect(() => {
    let isGone = false;
    import("../editor/editor.ts").then(
      ({ openEditor }) => {
        if (isGone || place.current === null) return;
        editor.current = openEditor(place.current, {
          label,
          text,
          onChange: (changed) => latest.current.onChange(changed),
          onSubmit: () => latest.current.onSubmit(),
        });
        setThere(true);
      },
      (error: unknown) => setProblem(`the editor could not be loaded: ${String(error)}`),
    );
    return () => {
      isGone = true;
      editor.current?.close();
    };
  }, []);
  return (
    <div class="json-editor">
      {problem !== undefined && <Problem text={problem} />}
      {!isThere && problem === undefined && <Loading what="the editor" />}
      <div ref={place} class="place" hidden={!isThere} />
    </div>
  );
}
