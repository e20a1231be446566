/** Why a job or one of its attempts failed. */
import type { JSX } from "preact";
import {
  failureFrames,
  failureSentence,
  foldedFrames,
} from "../../../../runtime/core/failure-text.ts";
import { WorkerLink } from "../../components/links.tsx";
import { Facts } from "../../components/panel.tsx";
import type { Failure } from "../../../../runtime/protocol/generated/answers.ts";

interface FailureReportProps {
  readonly failure: Failure;
  /** Without stack and log. */
  readonly isShort?: boolean;
}

export function FailureReport({ failure, isShort = false }: FailureReportProps): JSX.Element {
  const { type, workerId, exitCode, signal, outOfMemory, reported, lastLogLines } = failure;
  const more = [
    ["Exit code", exitCode],
    ["Signal", signal],
    ["Out of memory", outOfMemory === true ? "yes" : undefined],
    ["Worker", workerId && <WorkerLink id={workerId} />],
  ] as const;
  return (
    <div class="failure stack">
      <p>
        <b>{type}</b> <span class="failure-message">{sentenceOf(failure)}</span>
      </p>
      {!isShort && (
        <>
          <Facts facts={more} />
          <Stack of={failure} />
          <Lines title="Last lines of its log" text={lastLogLines?.join("\n")} isOpen />
          <Lines title="As the handler reported it" text={reported} />
        </>
      )}
    </div>
  );
}

/** The message, after the name of the error if that is not the type shown before it. */
function sentenceOf(failure: Failure): string {
  const sentence = failureSentence(failure);
  return sentence.startsWith(`${failure.type}: `) ? failure.message : sentence;
}

/** The frames of the user's own code, with the whole stack folded behind them. */
function Stack({ of }: { readonly of: Failure }): JSX.Element {
  const folded = foldedFrames(of);
  const own = failureFrames(of, { most: Infinity });
  if (folded === "" || own.length === 0) return <Lines title="Stack" text={of.stack} isOpen />;
  return (
    <div class="stack">
      <pre class="sunken" tabIndex={0}>
        {own.join("\n")}
      </pre>
      <Lines title={`… ${folded}`} text={of.stack} />
    </div>
  );
}

interface LinesProps {
  readonly title: string;
  readonly text: string | undefined;
  readonly isOpen?: boolean;
}

function Lines({ title, text, isOpen = false }: LinesProps): JSX.Element | null {
  if (text === undefined || text === "") return null;
  return (
    <details open={isOpen}>
      <summary>{title}</summary>
      <pre class="sunken" tabIndex={0}>
        {text}
      </pre>
    </details>
  );
}
