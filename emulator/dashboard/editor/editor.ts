/** An editor for JSON. It lives in a shadow tree, which takes its styles as objects: the page's policy allows no style elements. */
import { history, historyKeymap, indentWithTab, standardKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import {
  bracketMatching,
  defaultHighlightStyle,
  foldGutter,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from "@codemirror/language";
import { EditorState, Prec } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";

export interface EditorOptions {
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onSubmit: () => void;
}

export interface Editor {
  close(): void;
}

/** The colours of the page, whose variables reach into the shadow tree. */
const LOOK = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "12px" },
  "&.cm-focused": { outline: "2px solid var(--accent)" },
  ".cm-scroller": { fontFamily: "var(--mono)", maxHeight: "46vh", minHeight: "120px" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": {
    color: "var(--quiet)",
    backgroundColor: "var(--sunken)",
    border: "none",
    // The gutter continues below the last line.
    minHeight: "120px !important",
  },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--accent-ground) !important",
  },
  ".cm-matchingBracket": { backgroundColor: "var(--accent-ground) !important" },
});

const COLOURS = HighlightStyle.define(
  defaultHighlightStyle.specs.flatMap((spec) =>
    spec["color"] === undefined ? [] : [{ tag: spec.tag, color: colourOf(String(spec["color"])) }],
  ),
);

/** One colour for strings, another for the rest. */
function colourOf(original: string): string {
  return ["#a11", "#e40"].includes(original) ? "var(--good)" : "var(--busy)";
}

export function openEditor(place: HTMLElement, options: EditorOptions): Editor {
  const { label, text, onChange, onSubmit } = options;
  const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
  const submit = () => {
    onSubmit();
    return true;
  };
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        Prec.highest(keymap.of([{ key: "Mod-Enter", run: submit }])),
        keymap.of([...standardKeymap, ...historyKeymap, indentWithTab]),
        history(),
        lineNumbers(),
        foldGutter(),
        indentOnInput(),
        bracketMatching(),
        json(),
        syntaxHighlighting(COLOURS),
        LOOK,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  return { close: () => view.destroy() };
}
