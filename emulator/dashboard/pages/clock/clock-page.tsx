/** Service time, what is due next and why, and ways to advance it. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { Sentences } from "../../components/dialog.tsx";
import { Panel } from "../../components/panel.tsx";
import { Answer, Page } from "../../components/states.tsx";
import { formatDuration, formatFromNow, formatTime } from "../../format/format.ts";
import type { Clock } from "../../../../runtime/protocol/generated/answers.ts";
import { useRead } from "../../service/use-read.ts";
import { useServiceNow } from "../../service/use-service-now.ts";
import { useReadOnly } from "../../state/store.ts";
import { AdvanceResult, useAdvance } from "./advance.tsx";
import { durationText, keepsRealTime, stepMs } from "./due-labels.ts";
import { Due } from "./due.tsx";

/** Interval between reads of the clock, ms: no event says that a lease was renewed. */
const READ_MS = 5_000;

export function ClockPage(): JSX.Element {
  const clock = useRead<"readClock">("emulator/clock", {
    concerns: () => true,
    everyMs: READ_MS,
  });
  const [advanced, advance] = useAdvance();
  const isReadOnly = useReadOnly();
  const isUnderWay = advanced !== undefined && advanced.answer === undefined;
  return (
    <Page title="Clock">
      <Answer of={clock} what="the clock">
        {(value) => (
          <>
            <Panel title="Service time">
              <Now clock={value} />
              {!isReadOnly && <Steps clock={value} isUnderWay={isUnderWay} onAdvance={advance} />}
            </Panel>
            {advanced && <AdvanceResult advanced={advanced} />}
            <Due due={value.due} {...{ isUnderWay }} onStep={isReadOnly ? undefined : advance} />
            <WhatMoves />
          </>
        )}
      </Answer>
    </Page>
  );
}

function Now({ clock: { offsetMs } }: { readonly clock: Clock }): JSX.Element {
  const now = useServiceNow();
  return (
    <div class="now">
      <time class="now-time number">{now === undefined ? "–" : formatTime(now)}</time>
      <span class="quiet number">
        {now !== undefined && new Date(now).toLocaleDateString(undefined, { dateStyle: "full" })}
      </span>
      {offsetMs > 0 ? (
        <span class="tag">{formatDuration(offsetMs)} ahead of real time</span>
      ) : (
        <span class="quiet">not advanced</span>
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
  const next = clock.due.find((due) => !keepsRealTime(due));
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
      <TypedStep {...{ isUnderWay, onAdvance }} />
    </div>
  );
}

function TypedStep({ isUnderWay, onAdvance }: Omit<StepsProps, "clock">): JSX.Element {
  const [typed, setTyped] = useState("");
  const isReady = !isUnderWay && typed.trim() !== "";
  const advance = () => isReady && onAdvance(durationText(typed));
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        advance();
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
      <Button isDisabled={!isReady} onPress={advance}>
        Advance
      </Button>
    </form>
  );
}

const MOVES = [
  "time to live of jobs; a running job is deleted and its handler stopped",
  "retention of finished jobs",
  "idleTimeout, and the seconds of the scaler's scalerValue",
  "the wait between two starts of a worker that fails",
  "delayTime of a waiting job",
  "tries of webhooks, windows of rate limits",
  "wait of /runsync and /status-sync, and the wait of /stream",
] as const;

const STAYS = [
  "running handlers, executionTimeout and executionTime",
  "leases of workers, and how long they may be silent",
  "limits of HTTP connections",
  "signatures of the object store",
] as const;

function WhatMoves(): JSX.Element {
  return (
    <Panel title="What moves with it">
      <div class="what-moves">
        <section class="stack">
          <h3>Moves with service time</h3>
          <Sentences of={MOVES} />
        </section>
        <section class="stack">
          <h3>Keeps real time</h3>
          <Sentences of={STAYS} />
        </section>
      </div>
    </Panel>
  );
}
