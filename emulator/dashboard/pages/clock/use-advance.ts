/** Advances the clock, and collects the events until the moment it is advanced to. */
import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../../service/call.ts";
import { onEvents } from "../../service/follow.ts";
import type { AdvancedClock } from "../../service/generated/answers.ts";
import type { ServiceEvent } from "../../state/service-event.ts";
import { complain } from "../../state/store.ts";

/** The result of an advance. */
export interface Advanced {
  /** As requested: `30m`, or ms. */
  readonly by: string | number;
  /** Undefined until the advance ends. */
  readonly answer: AdvancedClock | undefined;
  readonly events: readonly ServiceEvent[];
}

/** Maximum events counted. */
const MOST_EVENTS = 20_000;

/** The last advance, and a function for the next one. Some events of an advance come after its answer. */
export function useAdvance(): readonly [Advanced | undefined, (by: string | number) => void] {
  const [advanced, setAdvanced] = useState<Advanced | undefined>(undefined);
  const stop = useRef<() => void>(() => undefined);
  useEffect(() => () => stop.current(), []);
  const advance = (by: string | number) => {
    const events: ServiceEvent[] = [];
    let answer: AdvancedClock | undefined;
    const show = () => setAdvanced({ by, answer, events: [...events] });
    stop.current();
    stop.current = onEvents((came) => {
      const ofIt = came.filter(({ at }) => answer === undefined || Date.parse(at) <= answer.nowMs);
      if (ofIt.length === 0 || events.length >= MOST_EVENTS) return;
      events.push(...ofIt);
      if (answer !== undefined) show();
    });
    show();
    const body = { advance: by };
    call<"advanceClock">("emulator/clock", { method: "POST", body }).then(
      (settled) => {
        answer = settled;
        show();
      },
      (error: unknown) => {
        stop.current();
        setAdvanced(undefined);
        complain(error);
      },
    );
  };
  return [advanced, advance];
}
