/** What stands in the place of content: nothing there yet, nothing at all, or why it could not be had. */
import type { ComponentChildren, JSX } from "preact";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

export function Empty({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <p class="empty">{children}</p>;
}

/** Shown late, so that nothing flickers where answers come at once. */
export function Loading({ what }: { readonly what: string }): JSX.Element {
  return (
    <p class="empty loading" role="status">
      loading {what} …
    </p>
  );
}

interface ProblemProps {
  readonly text: string;
  readonly onRetry?: () => void;
}

export function Problem({ text, onRetry }: ProblemProps): JSX.Element {
  return (
    <div class="problem" role="alert">
      <Icon name="warning" />
      <span>{text}</span>
      {onRetry && (
        <Button icon="retry" onPress={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}
