/** Things to press: buttons with a word, with a drawing, and those that copy a text. */
import type { ComponentChildren, JSX } from "preact";
import { complain, say } from "../state/store.ts";
import { Icon, type IconName } from "./icon.tsx";

interface ButtonProps {
  readonly children?: ComponentChildren;
  readonly onPress: () => void;
  /** `main`: the one that a page is there for; `danger`: what cannot be taken back. */
  readonly kind?: "plain" | "main" | "danger" | "bare";
  readonly icon?: IconName;
  /** For one without words. */
  readonly label?: string;
  readonly isDisabled?: boolean;
  readonly isPressed?: boolean;
  readonly title?: string;
}

export function Button(props: ButtonProps): JSX.Element {
  const { children, onPress, kind = "plain", icon, label, isDisabled, isPressed, title } = props;
  return (
    <button
      type="button"
      class={`button ${kind}`}
      onClick={onPress}
      disabled={isDisabled}
      {...(label !== undefined && { "aria-label": label, title: label })}
      {...(title !== undefined && { title })}
      {...(isPressed !== undefined && { "aria-pressed": isPressed })}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface CopyProps {
  readonly text: () => string;
  /** What is copied, for the message. */
  readonly what: string;
  readonly children?: ComponentChildren;
}

export function CopyButton({ text, what, children }: CopyProps): JSX.Element {
  const copy = async () => {
    try {
      await copyText(text());
      say(`copied ${what}`);
    } catch (error) {
      complain(error);
    }
  };
  const label = children === undefined ? { label: `Copy ${what}` } : {};
  return (
    <Button
      kind={children === undefined ? "bare" : "plain"}
      icon="copy"
      onPress={() => void copy()}
      {...label}
    >
      {children}
    </Button>
  );
}

/** Browsers give pages on plain http of another machine no clipboard, but let them copy what is selected. */
async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (!isCopied) throw new Error("this browser does not let the page copy anything");
  return undefined;
}
