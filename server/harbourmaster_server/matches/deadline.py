"""The end of a bot's time: when it is, and how everything that came before it is read first.

A decision has two deadlines: its clock's (time left and grace), and, while its connection is gone,
the reconnect time. The earlier one decides; at the same instant it is the clock's. Before a
deadline is judged, everything that has arrived is read: the judgement waits until the session has
read nothing for a while, and a reply counts by its date.
"""

from typing import TYPE_CHECKING, Final

from harbourmaster_engine.game import ForfeitReason
from harbourmaster_server.matches.decision import Decision, Fault
from harbourmaster_server.timekeeping import Cancellable

if TYPE_CHECKING:
    from harbourmaster_server.matches.match import Match, Seat

SETTLE_NANOS: Final = 5_000_000
"""How long a session must have read nothing before a deadline is judged."""
MAX_SETTLES: Final = 40
"""A session that is read without a pause is judged after so many waits all the same."""


class Deadline:
    """Watches the deadlines of one match, with one timer that is moved only when it must be."""

    def __init__(self, match: "Match") -> None:
        self._match = match
        self._timer: Cancellable | None = None
        self._when = 0
        self._ceiling: Cancellable | None = None

    def arm(self) -> None:
        """Make sure that the open decision's deadline is seen."""
        decision = self._match.decision
        if decision is None or self._match.paused:
            return
        due = self._due(decision)
        if due is None or (self._timer is not None and self._when <= due):
            # The timer comes early enough, and will see for itself how long there is to wait.
            return
        if self._timer is not None:
            self._timer.cancel()
        self._when = due
        self._timer = self._match.desk.time.call_at(due, self._fired)

    def start_ceiling(self, elapsed: int = 0) -> None:
        """Start the match's longest duration, of which *elapsed* nanoseconds are over."""
        time = self._match.desk.time
        ceiling = self._match.terms.clock.ceiling * 1000 - elapsed
        self._ceiling = time.call_at(time.now() + ceiling, self._ceiling_reached)

    def stop(self) -> None:
        """Watch no longer."""
        for timer in (self._timer, self._ceiling):
            if timer is not None:
                timer.cancel()
        self._timer = None

    def _due(self, decision: Decision) -> int | None:
        """Return the earlier deadline of *decision*, or `None` if it has none."""
        due = self._clock_due(decision)
        if decision.gone_at is None:
            return due
        gone = self._reconnect_due(decision, decision.gone_at)
        return gone if due is None else min(due, gone)

    def _clock_due(self, decision: Decision) -> int | None:
        budget = self._match.seats[decision.seat].clock.budget
        if budget is None:
            return None
        started = decision.started if decision.started is not None else decision.opened_at
        return started + budget * 1000 - decision.taken

    def _reconnect_due(self, decision: Decision, gone_at: int) -> int:
        session = self._match.seats[decision.seat].session
        gone_for_good = session is None or session.gone_for_good.is_set()
        wait = 0 if gone_for_good else self._match.terms.policy.reconnect_time * 1000
        return gone_at + wait

    def _dues(self, decision: Decision) -> list[tuple[int, ForfeitReason]]:
        """Return each deadline with what it means, the clock's first."""
        dues = []
        clock_due = self._clock_due(decision)
        if clock_due is not None:
            dues.append((clock_due, ForfeitReason.TIMEOUT))
        if decision.gone_at is not None:
            due = self._reconnect_due(decision, decision.gone_at)
            dues.append((due, ForfeitReason.DISCONNECTED))
        return dues

    def _fired(self) -> None:
        self._timer = None
        decision = self._match.decision
        if decision is None or not decision.open or decision.answered or self._match.paused:
            return
        decision.forgive(self._match.desk.time.stall())
        due = self._due(decision)
        if due is None or due > self._match.desk.time.now():
            self.arm()
        elif decision.started is None:
            self._wait_for_hand_over()
        else:
            self._settle(decision, self._reads(decision), MAX_SETTLES)

    def _wait_for_hand_over(self) -> None:
        """Look again later: a decision that is held back, or not yet sent, has no deadline."""
        self._when = self._match.desk.time.now() + SETTLE_NANOS
        self._timer = self._match.desk.time.call_at(self._when, self._fired)

    def _settle(self, decision: Decision, reads: int, waits: int) -> None:
        """Judge *decision* once its session has read nothing for a while."""

        def look_again() -> None:
            if not decision.open or decision.answered or self._match.paused:
                return
            now_read = self._reads(decision)
            if now_read != reads and waits > 0:
                self._settle(decision, now_read, waits - 1)
            else:
                self._judge(decision)

        time = self._match.desk.time
        stall = time.stall()
        # After a stall the transport may need longer to bring what came during it.
        time.call_at(max(time.now() + SETTLE_NANOS, stall.ended + stall.near), look_again)

    def _reads(self, decision: Decision) -> int:
        session = self._match.seats[decision.seat].session
        return 0 if session is None else session.messages_read

    def _judge(self, decision: Decision) -> None:
        now = self._match.desk.time.now()
        passed = [(due, reason) for due, reason in self._dues(decision) if due <= now]
        if not passed:
            self.arm()
            return
        _, reason = min(passed, key=lambda each: each[0])
        seat = self._match.seats[decision.seat]
        if reason is ForfeitReason.TIMEOUT:
            decision.settle(Fault(reason, self.timeout_text(seat, decision, now)))
        else:
            gone = (now - (decision.gone_at or now)) / 1e6
            text = f"decision {decision.number}: the connection was gone for {gone:.0f} ms"
            how = self._match.desk.exits.get(seat.bot)
            text += f"; {how}" if how else ""
            decision.settle(Fault(reason, text))

    def timeout_text(self, seat: "Seat", decision: Decision, when: int) -> str:
        """Return why *decision* was too late at *when*, with the numbers."""
        taken = decision.elapsed(when) / 1e6
        clock = seat.clock
        parts = [f"{(clock.left or 0) / 1000:.1f} ms left"]
        if clock.allowance:
            parts.append(f"{clock.allowance / 1000:.0f} ms for the first turn")
        parts.append(f"{clock.terms.grace / 1000:.0f} ms of grace")
        allowed = " + ".join(parts)
        return f"decision {decision.number}: no answer after {taken:.1f} ms; allowed: {allowed}"

    def _ceiling_reached(self) -> None:
        decision = self._match.decision
        if decision is None or decision.answered:
            # Between two decisions: the next one is only a moment away.
            time = self._match.desk.time
            self._ceiling = time.call_at(time.now() + SETTLE_NANOS, self._ceiling_reached)
            return
        seconds = self._match.terms.clock.ceiling / 1e6
        text = f"the match reached its longest duration, {seconds:g} s"
        decision.settle(Fault(ForfeitReason.CEILING, text))
