/** Buttons with a word or an icon, a button that copies a text, and a group for one choice. */
import type { ComponentChildren, JSX } from "preact";
import { attempt } from "../state/store.ts";
import { Icon, type IconName } from "./icon.tsx";

interface ButtonProps {
  readonly children?: ComponentChildren;
  readonly onPress: () => void;
  /** `main`: the main action of a page; `danger`: an action that cannot be undone. */
  readonly kind?: "plain" | "main" | "danger" | "bare";
  readonly icon?: IconName;
  /** The name of a button without words. */
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
  /** Name of the copied text, for the notice. */
  readonly what: string;
  readonly children?: ComponentChildren;
}

export function CopyButton({ text, what, children }: CopyProps): JSX.Element {
  const copy = async () => {
    await copyText(text());
    return `copied ${what}`;
  };
  const label = children === undefined ? { label: `Copy ${what}` } : {};
  return (
    <Button
      kind={children === undefined ? "bare" : "plain"}
      icon="copy"
      onPress={() => void attempt(copy)}
      {...label}
    >
      {children}
    </Button>
  );
}

/** Without HTTPS a browser has no clipboard for pages of another machine, but it copies the selection. */
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

interface ChoicesProps<Value> {
  readonly label: string;
  readonly choices: readonly (readonly [value: Value, word: string])[];
  readonly chosen: Value | undefined;
  readonly onChoose: (value: Value) => void;
}

export function Choices<Value extends string | number>(props: ChoicesProps<Value>): JSX.Element {
  const { label, choices, chosen, onChoose } = props;
  return (
    <div class="actions" role="group" aria-label={label}>
      {choices.map(([value, word]) => (
        <Button key={value} isPressed={value === chosen} onPress={() => onChoose(value)}>
          {word}
        </Button>
      ))}
    </div>
  );
}
