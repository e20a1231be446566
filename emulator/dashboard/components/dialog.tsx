/** A window above the page, which has the keyboard until it is closed. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "./button.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** The title is for those who do not see the window. */
  readonly isPlain?: boolean;
  readonly isWide?: boolean;
}

export function Dialog(props: DialogProps): JSX.Element {
  const { title, onClose, children, isPlain = false, isWide = false } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    // Not its first button, which closes it; what is plain has a field that wants the keyboard.
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
