/** Dialogs: a window above the page that keeps the keyboard until it is closed. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "./button.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** True: no head is shown, and the title is only the accessible name. */
  readonly isPlain?: boolean;
  readonly isWide?: boolean;
}

export function Dialog(props: DialogProps): JSX.Element {
  const { title, onClose, children, isPlain = false, isWide = false } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    // Without this, the button that closes the dialog would have the focus. A plain dialog has a field that gets it.
    if (!isPlain) dialog.current?.focus();
  }, []);
  const closeOutside = (event: MouseEvent) => {
    if (event.target === dialog.current) onClose();
  };
  return (
    <dialog
      ref={dialog}
      class={`dialog ${isWide ? "wide" : ""}`}
      aria-label={title}
      tabIndex={-1}
      onClose={onClose}
      onClick={closeOutside}
    >
      <div class="dialog-body">
        {!isPlain && (
          <header class="panel-head">
            <h2>{title}</h2>
            <Button kind="bare" icon="close" label="Close" onPress={onClose} />
          </header>
        )}
        {children}
      </div>
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  /** The consequences of the action, one sentence for each. */
  readonly sentences: readonly string[];
  readonly word: string;
  readonly onClose: () => void;
  readonly onConfirm: () => Promise<unknown>;
}

/** Asks before an action that cannot be undone. */
export function Confirm(props: ConfirmProps): JSX.Element {
  const { title, sentences, word, onClose, onConfirm } = props;
  const confirm = () => {
    onClose();
    void onConfirm();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Sentences of={sentences} />
      <div class="row">
        <span class="spring" />
        <Button onPress={onClose}>Cancel</Button>
        <Button kind="danger" onPress={confirm}>
          {word}
        </Button>
      </div>
    </Dialog>
  );
}

export function Sentences({ of }: { readonly of: readonly string[] }): JSX.Element {
  return (
    <ul class="sentences">
      {of.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}
