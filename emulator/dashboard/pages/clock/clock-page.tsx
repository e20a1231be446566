/** Service time: what it is, what is due next and why, and ways to advance it. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { formatDuration, formatFromNow } from "../../format.ts";
import { Panel } from "../../components/panel.tsx";
import { Loading, Problem } from "../../components/states.tsx";
import type { Clock } from "../../service/generated/answers.ts";
import { useRead } from "../../service/use-read.ts";
import { useServiceNow } from "../../service/use-service-now.ts";
import { usePart } from "../../state/store.ts";
import { AdvanceResult } from "./advance-result.tsx";
import { Due } from "./due.tsx";
import { keepsRealTime } from "./due-labels.ts";
import { durationText, stepMs } from "./duration-text.ts";
import { useAdvance } from "./use-advance.ts";
import { WhatMoves } from "./what-moves.tsx";

/** Leases are renewed without an event. */
const READ_MS = 5_000;

export function ClockPage(): JSX.Element {
  const { value, problem, again } = useRead<"readClock">("emulator/clock", {
    concerns: () => true,
    everyMs: READ_MS,
  });
  const [advanced, advance] = useAdvance();
  const isReadOnly = usePart(({ session }) => session) === "read-only";
  const isUnderWay = advanced !== undefined && advanced.answer === undefined;
  return (
    <div class="page">
      <div class="page-head">
        <h1>Clock</h1>
      </div>
      {problem !== undefined && <Problem text={problem} onRetry={again} />}
      {value === undefined && problem === undefined && <Loading what="the clock" />}
      {value && (
        <div class="clock-panels">
          <Panel title="Service time">
            <Now clock={value} />
            {!isReadOnly && <Steps clock={value} isUnderWay={isUnderWay} onAdvance={advance} />}
          </Panel>
          {advanced && <AdvanceResult advanced={advanced} />}
          <Due due={value.due} isUnderWay={isUnderWay} onStep={isReadOnly ? undefined : advance} />
          <WhatMoves />
        </div>
      )}
    </div>
  );
}

function Now({ clock: { offsetMs } }: { readonly clock: Clock }): JSX.Element {
  const now = useServiceNow();
  const at = now === undefined ? undefined : new Date(now);
  return (
    <div class="now">
      <time class="now-time number">
        {at?.toLocaleTimeString(undefined, { hour12: false }) ?? "–"}
      </time>
      <span class="quiet number">{at?.toLocaleDateString(undefined, { dateStyle: "full" })}</span>
      {offsetMs > 0 ? (
        <span class="tag">{formatDuration(offsetMs)} ahead of real time</span>
      ) : (
        <span class="quiet">as real time: it was not advanced yet</span>
      )}
    </div>
  );
}

interface StepsProps {
  readonly clock: Clock;
  readonly isUnderWay: boolean;
  readonly onAdvance: (by: string | number) => void;
}

function Steps({ clock, isUnderWay, onAdvance }: StepsProps): JSX.Element {
  const now = useServiceNow() ?? clock.nowMs;
  const [typed, setTyped] = useState("");
  const next = clock.due.find((due) => !keepsRealTime(due));
  const isReady = !isUnderWay && typed.trim() !== "";
  return (
    <div class="row steps">
      <Button
        kind="main"
        icon="right"
        isDisabled={isUnderWay || next === undefined}
        onPress={() => next && onAdvance(stepMs(next.at, now))}
      >
        {next === undefined
          ? "No moment to step to"
          : `To the next moment, ${formatFromNow(next.at, now)}`}
      </Button>
      <Button isDisabled={isUnderWay} onPress={() => onAdvance("30m")}>
        + 30 min
      </Button>
      <Button isDisabled={isUnderWay} onPress={() => onAdvance("1h")}>
        + 1 h
      </Button>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) onAdvance(durationText(typed));
        }}
      >
        <input
          class="number"
          aria-label="Advance by, for example 1h30m"
          placeholder="1h30m"
          size={10}
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <Button isDisabled={!isReady} onPress={() => onAdvance(durationText(typed))}>
          Advance
        </Button>
      </form>
    </div>
  );
}
