/** The frame of a page, and the replacements for its content: while it loads, if there is none, or after a problem. */
import type { ComponentChildren, JSX } from "preact";
import type { Reading } from "../service/use-read.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

interface PageProps {
  readonly title: ComponentChildren;
  readonly head?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export function Page({ title, head, class: more = "", children }: PageProps): JSX.Element {
  return (
    <div class={`page ${more}`}>
      <div class="page-head">
        <h1>{title}</h1>
        {head}
      </div>
      {children}
    </div>
  );
}

interface AnswerProps<Value> {
  readonly of: Reading<Value>;
  /** Name of the content that is being loaded. */
  readonly what: string;
  readonly children: (value: Value) => ComponentChildren;
}

/** The last answer of a read, with the problem above it when the next one failed. */
export function Answer<Value>({ of, what, children }: AnswerProps<Value>): JSX.Element {
  const { value, problem, again } = of;
  return (
    <>
      {problem !== undefined && <Problem text={problem} onRetry={again} />}
      {value === undefined ? problem === undefined && <Loading what={what} /> : children(value)}
    </>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <p class="empty">{children}</p>;
}

/** Appears after a delay, so that fast answers do not flicker. */
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
