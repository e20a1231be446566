/** Why a job or one of its attempts failed, as far as anybody knows. */
import type { JSX } from "preact";
import { Facts } from "../../components/panel.tsx";
import type { Failure } from "../../service/generated/answers.ts";

interface FailureReportProps {
  readonly failure: Failure;
  /** Without what goes on for lines. */
  readonly isShort?: boolean;
}

export function FailureReport({ failure, isShort = false }: FailureReportProps): JSX.Element {
  const { type, message, stack, workerId, exitCode, signal, outOfMemory, reported, lastLogLines } =
    failure;
  const more = [
    ["Exit code", exitCode],
    ["Signal", signal],
    ["Out of memory", outOfMemory === true ? "yes" : undefined],
    ["Worker", workerId],
  ] as const;
  return (
    <div class="failure">
      <p>
        <b>{type}</b> <span class="failure-message">{message}</span>
      </p>
      {!isShort && (
        <>
          <Facts facts={more} />
          <Lines title="Stack" text={stack} isOpen />
          <Lines title="Last lines of its log" text={lastLogLines?.join("\n")} isOpen />
          <Lines title="As the handler reported it" text={reported} />
        </>
      )}
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
      <pre tabIndex={0}>{text}</pre>
    </details>
  );
}
